//! A picture in pixels. SVG leaves fonts to whoever shows it; pixels need one now.

use anyhow::{Context, Result, bail};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query};
use resvg::usvg::{Options, Tree};
use std::path::Path;

/// Four bytes each while it is drawn.
const PIXELS_MAX: f64 = 100_000_000.0;

/// Fonts that look like the one that labels are measured with, the most alike first.
const FAMILIES: &[&str] = &[
    "Arial",
    "Helvetica",
    "Liberation Sans",
    "Arimo",
    "Nimbus Sans",
    "Noto Sans",
    "DejaVu Sans",
    "Open Sans",
    "Roboto",
    "Ubuntu",
    "Cantarell",
];

pub(super) fn from_svg(svg: &str, scale: f32, font: Option<&Path>) -> Result<Vec<u8>> {
    let mut options = Options::default();
    load_fonts(options.fontdb_mut(), font)?;
    let tree = Tree::from_str(svg, &options).context("cannot draw the picture")?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let pixels = f64::from(width) * f64::from(height);
    if pixels > PIXELS_MAX {
        bail!(
            "Expected a picture of at most {PIXELS_MAX} pixels, but it would have {pixels:.0}: choose a smaller \
             --scale, or write SVG"
        );
    }
    let (width, height) = (width.ceil().max(1.0) as u32, height.ceil().max(1.0) as u32);
    let mut pixmap = Pixmap::new(width, height).context("cannot draw a picture of this size")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().context("cannot write the picture as PNG")
}

fn load_fonts(fonts: &mut Database, file: Option<&Path>) -> Result<()> {
    match file {
        Some(file) => {
            fonts.load_font_file(file).with_context(|| format!("cannot read the font {}", file.display()))?;
        }
        None => fonts.load_system_fonts(),
    }
    choose_font(fonts, file)
}

/// There is one font for everything that a picture asks for.
fn choose_font(fonts: &mut Database, file: Option<&Path>) -> Result<()> {
    let Some(family) = sans_serif(fonts) else {
        match file {
            Some(file) => bail!("Expected {} to be a font, but it is none", file.display()),
            None => bail!(
                "Expected a font for the labels, but this machine has none: install one, such as the package \
                 fonts-dejavu-core, name a file with --font, or write SVG"
            ),
        }
    };
    fonts.set_sans_serif_family(family.clone());
    fonts.set_serif_family(family);
    Ok(())
}

fn sans_serif(fonts: &Database) -> Option<String> {
    let is_there = |family: &&&str| {
        let families = &[Family::Name(family)];
        fonts.query(&Query { families, ..Query::default() }).is_some()
    };
    if let Some(family) = FAMILIES.iter().find(is_there) {
        return Some((*family).to_string());
    }
    let usable = fonts.faces().find(|face| !face.monospaced).or(fonts.faces().next())?;
    usable.families.first().map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_fonts_is_told_what_to_do() {
        let refusal = choose_font(&mut Database::new(), None).expect_err("there is no font").to_string();
        assert!(refusal.contains("fonts-dejavu-core") && refusal.contains("--font"), "{refusal}");
    }
}
