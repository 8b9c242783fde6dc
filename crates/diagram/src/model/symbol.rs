//! The symbols of BPMN and what their look depends on.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// Not drawn itself; its contents are.
    Process,
    Participant {
        is_multiple: bool,
    },
    Lane,
    Event(Event),
    Activity(Activity),
    Gateway(Gateway),
    Data(Data),
    Annotation,
    Group,
    /// Something that BPMN does not know: drawn as a plain box.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) place: EventPlace,
    pub(crate) is_interrupting: bool,
    pub(crate) trigger: Trigger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPlace {
    Start,
    Catch,
    Boundary,
    Throw,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    None,
    Message,
    Timer,
    Error,
    Escalation,
    Cancel,
    Compensation,
    Conditional,
    Link,
    Signal,
    Terminate,
    Multiple,
    ParallelMultiple,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) kind: ActivityKind,
    pub(crate) repetition: Option<Repetition>,
    pub(crate) is_for_compensation: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActivityKind {
    Task(TaskKind),
    Call,
    SubProcess(SubProcess),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskKind {
    Plain,
    Service,
    Send,
    Receive { instantiates: bool },
    User,
    Manual,
    BusinessRule,
    Script,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubProcess {
    Embedded,
    Event,
    Transaction,
    AdHoc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    Loop,
    Parallel,
    Sequential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gateway {
    Exclusive,
    Parallel,
    Inclusive,
    Complex,
    EventBased,
    /// Those that begin a process.
    EventBasedStart,
    ParallelEventBasedStart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) kind: DataKind,
    pub(crate) is_collection: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataKind {
    Object,
    Input,
    Output,
    Store,
}

impl Activity {
    pub(crate) fn is_sub_process(&self) -> bool {
        matches!(self.kind, ActivityKind::SubProcess(_))
    }

    pub(crate) fn is_event_sub_process(&self) -> bool {
        self.kind == ActivityKind::SubProcess(SubProcess::Event)
    }
}

impl Symbol {
    /// True if other elements may stand in it.
    pub(crate) fn is_scope(&self) -> bool {
        match self {
            Symbol::Process => true,
            Symbol::Activity(activity) => activity.is_sub_process(),
            _ => false,
        }
    }

    /// True if sequence flows may lead to it.
    pub(crate) fn is_flow_node(&self) -> bool {
        matches!(self, Symbol::Event(_) | Symbol::Activity(_) | Symbol::Gateway(_) | Symbol::Unknown)
    }

    pub(crate) fn is_boundary_event(&self) -> bool {
        matches!(self, Symbol::Event(Event { place: EventPlace::Boundary, .. }))
    }

    /// Data and notes, which stand beside the flow.
    pub(crate) fn is_artifact(&self) -> bool {
        matches!(self, Symbol::Data(_) | Symbol::Annotation)
    }
}
