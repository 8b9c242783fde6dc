//! One element of a process and what it does.

use super::{
    CalledElement, Catch, FormLink, InclusiveJoin, JobTask, Mapping, MultiInstance, Source, Throw, UserTask,
};
use tidemill_feel::Expression;
use tidemill_model::{ElementIndex, ElementKind, FlowIndex, RawJson, Text};

#[derive(Clone, Debug)]
pub struct Element {
    pub index: ElementIndex,
    pub id: Text,
    pub name: Option<Text>,
    pub kind: ElementKind,
    /// The scope it stands in; none for the process itself.
    pub scope: Option<ElementIndex>,
    /// In the order of the sequence flows in the file.
    pub incoming: Vec<FlowIndex>,
    /// In the order in which they are tried and taken, which is from the last in the file to the first, as in Camunda: where
    /// several conditions hold, an exclusive gateway takes the last flow.
    pub outgoing: Vec<FlowIndex>,
    pub inputs: Vec<Mapping>,
    pub outputs: Vec<Mapping>,
    pub multi_instance: Option<MultiInstance>,
    /// From the last in the file to the first, like `outgoing`.
    pub boundary_events: Vec<ElementIndex>,
    /// On the process and on subprocesses.
    pub event_sub_processes: Vec<ElementIndex>,
    /// Custom headers as one JSON object.
    pub headers: Option<RawJson>,
    /// Facts for tools and connectors, by name.
    pub properties: Vec<(Text, Text)>,
    pub behavior: Behavior,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
pub enum Behavior {
    Process {
        /// Every start event of the process, the none start included.
        starts: Vec<ElementIndex>,
        none_start: Option<ElementIndex>,
        start_form: Option<FormLink>,
    },
    SubProcess {
        start: ElementIndex,
    },
    EventSubProcess {
        start: ElementIndex,
    },
    /// `is_interrupting` matters in event subprocesses only.
    Start {
        catch: Catch,
        is_interrupting: bool,
    },
    IntermediateCatch(Catch),
    Boundary {
        attached_to: ElementIndex,
        is_interrupting: bool,
        catch: Catch,
    },
    IntermediateThrow(Throw),
    End(Throw),
    /// Service, send, script and business rule tasks that a worker does.
    Job(JobTask),
    Script {
        expression: Expression,
        result_variable: Text,
    },
    /// A user task that the engine manages itself.
    UserTask(UserTask),
    /// A user task handed to a worker.
    UserTaskJob(UserTask),
    Receive(super::MessageCatch),
    Call(CalledElement),
    /// Manual and undefined tasks.
    PassThrough,
    Exclusive {
        default: Option<FlowIndex>,
    },
    Inclusive {
        default: Option<FlowIndex>,
        /// Where more than one flow comes in.
        join: Option<InclusiveJoin>,
    },
    Parallel,
    EventBased {
        /// The catch events that it waits for.
        events: Vec<ElementIndex>,
    },
}

impl Element {
    pub(super) fn shrink_to_fit(&mut self) {
        self.incoming.shrink_to_fit();
        self.outgoing.shrink_to_fit();
        self.boundary_events.shrink_to_fit();
        self.event_sub_processes.shrink_to_fit();
        self.properties.shrink_to_fit();
        for mappings in [&mut self.inputs, &mut self.outputs] {
            mappings.shrink_to_fit();
            mappings.iter_mut().for_each(|mapping| mapping.target.shrink_to_fit());
        }
    }

    pub fn is_activity(&self) -> bool {
        matches!(
            self.behavior,
            Behavior::SubProcess { .. }
                | Behavior::Job(_)
                | Behavior::Script { .. }
                | Behavior::UserTask(_)
                | Behavior::UserTaskJob(_)
                | Behavior::Receive(_)
                | Behavior::Call(_)
                | Behavior::PassThrough
        )
    }

    /// The event that this element catches, where it is a catching event or a receive task.
    pub fn catch(&self) -> Option<&Catch> {
        match &self.behavior {
            Behavior::Start { catch, .. }
            | Behavior::IntermediateCatch(catch)
            | Behavior::Boundary { catch, .. } => Some(catch),
            _ => None,
        }
    }

    /// True if catching stops the activity or scope that the event belongs to.
    pub fn is_interrupting(&self) -> bool {
        match &self.behavior {
            Behavior::Start { is_interrupting, .. } | Behavior::Boundary { is_interrupting, .. } => {
                *is_interrupting
            }
            _ => true,
        }
    }

    /// The name to show: falls back to the id.
    pub fn label(&self) -> &Text {
        self.name.as_ref().unwrap_or(&self.id)
    }
}

/// Static text where a string is meant.
impl Source {
    pub fn static_text(&self) -> Option<&Text> {
        match self {
            Source::Static { text, .. } => Some(text),
            Source::Feel(_) => None,
        }
    }
}
