//! Models written in code, for tests and benchmarks. They become real BPMN XML and are read like any file.
//!
//! A model is told along its paths: each element is connected to the one before it.
//!
//! ```
//! use tidemill_bpmn::builder::{ModelBuilder, Timer};
//!
//! let document = ModelBuilder::process("order")
//!     .start("placed")
//!     .service_task("pay", |task| task.job_type("pay").input("=order.total", "amount"))
//!     .exclusive("paid")
//!     .when("=amount > 100")
//!     .service_task("thank", |task| task.job_type("thank"))
//!     .end("done")
//!     .move_to("paid")
//!     .otherwise()
//!     .connect_to("done")
//!     .boundary_timer("late", "pay", Timer::duration("PT1H"))
//!     .end("gave_up")
//!     .build();
//! assert_eq!(document.processes[0].flows().len(), 6);
//! ```

mod event;
mod flow;
mod options;
mod scope;
mod shared;
mod task;
mod write;

pub use options::Options;
pub use shared::Message;

use crate::{Document, read};
use shared::Shared;

/// One file with one or more processes. Ids of flows follow from their ends: `f_pay_done`.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    elements: Vec<Element>,
    flows: Vec<FlowLine>,
    shared: Shared,
    /// The scopes that are open, the innermost last.
    scopes: Vec<usize>,
    /// The element that the path goes on from.
    last: Option<usize>,
    condition: Option<String>,
    is_default: bool,
}

#[derive(Clone, Debug)]
struct Element {
    tag: &'static str,
    id: String,
    scope: Option<usize>,
    attributes: Vec<(&'static str, String)>,
    /// Event definition or the like, as XML.
    content: String,
    /// Extension elements that do not come from the options, as XML.
    extensions: String,
    options: Options,
}

#[derive(Clone, Debug)]
struct FlowLine {
    id: String,
    scope: usize,
    source: String,
    target: String,
    condition: Option<String>,
}

/// When a timer event fires.
#[derive(Clone, Debug)]
pub struct Timer {
    tag: &'static str,
    text: String,
}

impl Timer {
    pub fn date(text: &str) -> Timer {
        Timer { tag: "timeDate", text: text.to_string() }
    }

    pub fn duration(text: &str) -> Timer {
        Timer { tag: "timeDuration", text: text.to_string() }
    }

    pub fn cycle(text: &str) -> Timer {
        Timer { tag: "timeCycle", text: text.to_string() }
    }
}

impl ModelBuilder {
    pub fn process(id: &str) -> ModelBuilder {
        let empty = ModelBuilder {
            elements: Vec::new(),
            flows: Vec::new(),
            shared: Shared::default(),
            scopes: Vec::new(),
            last: None,
            condition: None,
            is_default: false,
        };
        empty.and_process(id)
    }

    /// A further process in the same file; what follows goes into it.
    pub fn and_process(mut self, id: &str) -> ModelBuilder {
        self.scopes.clear();
        let index = self.push("process", id);
        self.elements[index].attributes.push(("isExecutable", "true".to_string()));
        self.scopes.push(index);
        self.last = None;
        self
    }

    pub fn version_tag(mut self, tag: &str) -> ModelBuilder {
        let xml = write::empty_tag("zeebe:versionTag", &[("value", tag)]);
        let process = self.scopes[0];
        self.elements[process].extensions.push_str(&xml);
        self
    }

    /// Options for the element that was added last.
    pub fn with(mut self, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        let last = self.elements.last_mut().expect("the process is always there");
        last.options = options(std::mem::take(&mut last.options));
        self
    }

    /// Options for an element that was added before.
    pub fn with_element(mut self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        let index = self.index_of(id);
        let element = &mut self.elements[index];
        element.options = options(std::mem::take(&mut element.options));
        self
    }

    pub fn xml(&self) -> String {
        write::document(self)
    }

    /// The executable processes. Panics with the findings if the model cannot run.
    pub fn build(&self) -> Document {
        let xml = self.xml();
        read(&xml).unwrap_or_else(|findings| panic!("{findings}\n{xml}"))
    }

    fn index_of(&self, id: &str) -> usize {
        let found = self.elements.iter().position(|element| element.id == id);
        found.unwrap_or_else(|| panic!("there is no element '{id}' yet"))
    }

    /// Adds an element without connecting it.
    fn push(&mut self, tag: &'static str, id: &str) -> usize {
        self.elements.push(Element {
            tag,
            id: id.to_string(),
            scope: self.scopes.last().copied(),
            attributes: Vec::new(),
            content: String::new(),
            extensions: String::new(),
            options: Options::default(),
        });
        self.elements.len() - 1
    }

    /// Adds the next element of the path.
    fn next(mut self, tag: &'static str, id: &str) -> ModelBuilder {
        let index = self.push(tag, id);
        if let Some(last) = self.last {
            let source = self.elements[last].id.clone();
            self.add_flow(&source, id);
        }
        self.last = Some(index);
        self
    }

    fn content(mut self, xml: String) -> ModelBuilder {
        self.last_mut().content.push_str(&xml);
        self
    }

    fn attribute(mut self, name: &'static str, value: &str) -> ModelBuilder {
        self.last_mut().attributes.push((name, value.to_string()));
        self
    }

    fn last_mut(&mut self) -> &mut Element {
        self.elements.last_mut().expect("an element was just added")
    }
}
