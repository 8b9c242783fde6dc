//! `tidemill render`: a model as a picture, without a server.

mod png;

use crate::exit::Usage;
use crate::output::say;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::path::{Path, PathBuf};
use tidemill_diagram::{Diagram, Overlays, Style, Theme};

/// Draw a BPMN file as SVG or PNG
///
/// Draws what the file's diagram says, also elements that the engine does not run. A file without a diagram is laid out
/// automatically.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill render order.bpmn > order.svg
  tidemill render order.bpmn -o order.png --scale 2
  tidemill render order.bpmn -o order.svg --dark

Shapes and flows carry their ids as data-element-id, so that a page can find them.")]
pub(crate) struct Render {
    /// The file to draw
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: a name that ends with .svg or .png [default: SVG on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draw for a dark page
    #[arg(long)]
    dark: bool,

    /// Leave out the ground, for a page that has one of its own
    #[arg(long)]
    transparent: bool,

    /// Pixels of a PNG for each pixel of the diagram
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = scale)]
    scale: f32,

    /// A font for the labels of a PNG [default: a font of the system]
    #[arg(long, value_name = "FILE")]
    font: Option<PathBuf>,
}

/// Where the picture goes, and as what.
enum Target<'a> {
    Output,
    Svg(&'a Path),
    Png(&'a Path),
}

fn scale(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.1..=10.0).contains(number));
    number.ok_or_else(|| "Expected a number from 0.1 to 10".to_owned())
}

impl Render {
    pub(crate) fn run(self) -> Result<()> {
        let target = self.target()?;
        let name = self.file.display();
        let content = std::fs::read(&self.file).with_context(|| format!("cannot read {name}"))?;
        let diagram = Diagram::read(&content).map_err(|error| anyhow!("{name}:{error}"))?;
        for note in diagram.notes() {
            crate::output::complain!("{name}:{note}");
        }
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let style = Style { theme, has_background: !self.transparent };
        let svg = diagram.to_svg(&style, &Overlays::default());
        match target {
            Target::Output => say!("{}", svg.trim_end()),
            Target::Svg(path) => write(path, svg.as_bytes())?,
            Target::Png(path) => write(path, &png::from_svg(&svg, self.scale, self.font.as_deref())?)?,
        }
        Ok(())
    }

    fn target(&self) -> Result<Target<'_>> {
        let Some(output) = &self.output else { return Ok(Target::Output) };
        let ending = output.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("svg") => Ok(Target::Svg(output)),
            Some("png") => Ok(Target::Png(output)),
            _ => {
                let reason = "Expected --output to end with .svg or .png, but it is";
                Err(Usage(format!("{reason} '{}'", output.display())).into())
            }
        }
    }
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
