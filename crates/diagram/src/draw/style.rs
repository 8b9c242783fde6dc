//! Light and dark, and the colours of one element.

use super::Context;
use crate::color::Color;
use crate::scene::Colors;

/// How a diagram is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub theme: Theme,
    /// True if the picture has a ground of its own; a page that shows it may have one already.
    pub has_background: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { theme: Theme::Light, has_background: true }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// The colour of lines and text on white paper, where the file names none.
const INK: Color = Color::hex(0x22242a);

/// The colours of a theme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    theme: Theme,
    pub(crate) background: Color,
    fill: Color,
    stroke: Color,
    pub(crate) token: Color,
    pub(crate) incident: Color,
    pub(crate) completed: Color,
    pub(crate) taken: Color,
}

impl Palette {
    pub(crate) fn new(theme: Theme) -> Palette {
        let hex = Color::hex;
        match theme {
            Theme::Light => Palette {
                theme,
                background: hex(0xffffff),
                fill: hex(0xffffff),
                stroke: INK,
                token: hex(0x0f7b4f),
                incident: hex(0xc62828),
                completed: hex(0x6b7280),
                taken: hex(0x1565c0),
            },
            Theme::Dark => Palette {
                theme,
                background: hex(0x1a1c21),
                fill: hex(0x26292f),
                stroke: hex(0xd8dbe2),
                token: hex(0x2fb67c),
                incident: hex(0xef5350),
                completed: hex(0x8b93a1),
                taken: hex(0x64a8f0),
            },
        }
    }
}

/// The colours of one element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) fill: Color,
    pub(crate) stroke: Color,
    /// Of text on the element's own fill.
    pub(crate) text: Color,
    /// Of text on the ground of the picture.
    pub(crate) label: Color,
}

impl Context<'_> {
    /// The file's colours where it has some. On dark ground, colours that were chosen for white paper are lightened.
    pub(crate) fn ink(&self, colors: &Colors) -> Ink {
        let palette = &self.palette;
        let is_dark = palette.theme == Theme::Dark;
        let fill = colors.fill.unwrap_or(palette.fill);
        let on = |color: Color, ground: Color| if is_dark { color.readable_on(ground) } else { color };
        // A ground that was chosen for dark ink gets dark ink.
        let usual = if colors.fill.is_some() { INK } else { palette.stroke };
        let stroke = on(colors.stroke.unwrap_or(usual), fill);
        let text = colors.label.or(colors.stroke).unwrap_or(usual);
        Ink { fill, stroke, text: on(text, fill), label: on(text, palette.background) }
    }
}
