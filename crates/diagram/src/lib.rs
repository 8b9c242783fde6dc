//! BPMN files as SVG pictures. Pure: text in, text out. All elements of BPMN are drawn, also those that the
//! engine cannot run; a file without diagram interchange is laid out automatically.
//!
//! ```
//! let xml = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
//!   <process id="order"><startEvent id="placed"/><endEvent id="done"/>
//!     <sequenceFlow id="flow" sourceRef="placed" targetRef="done"/></process>
//! </definitions>"#;
//! let diagram = tidemill_diagram::Diagram::read(xml)?;
//! let svg = diagram.to_svg(&tidemill_diagram::Style::default(), &tidemill_diagram::Overlays::default());
//! assert!(svg.contains("data-element-id=\"placed\""));
//! # Ok::<(), tidemill_diagram::Error>(())
//! ```

mod color;
mod diagram;
mod draw;
mod error;
mod geometry;
mod layout;
mod limits;
mod model;
mod overlay;
mod read;
mod scene;
mod svg;
mod text;

pub use diagram::{Diagram, PlacedFlow, PlacedShape};
pub use draw::{Style, Theme};
pub use error::{Error, Note};
pub use geometry::{Point, Rect};
pub use overlay::{Overlay, Overlays};
