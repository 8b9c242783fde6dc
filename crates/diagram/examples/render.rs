//! Draws a file: `cargo run -p tidemill-diagram --example render -- FILE [dark] > picture.svg`.

use tidemill_diagram::{Diagram, Overlays, Style, Theme};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("Expected a file")?;
    let theme = if arguments.next().as_deref() == Some("dark") { Theme::Dark } else { Theme::Light };
    let diagram = Diagram::read(std::fs::read(file)?)?;
    diagram.notes().iter().for_each(|note| eprintln!("{note}"));
    let style = Style { theme, ..Style::default() };
    print!("{}", diagram.to_svg(&style, &Overlays::default()));
    Ok(())
}
