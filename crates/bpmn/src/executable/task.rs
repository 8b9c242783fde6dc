//! The data that tasks and call activities need to run.

use super::Source;
use tidemill_model::Text;

#[derive(Clone, Debug)]
pub struct JobTask {
    pub job_type: Source,
    pub retries: Source,
    pub priority: Option<Source>,
}

/// The attributes of a user task, native or job-based.
#[derive(Clone, Debug, Default)]
pub struct UserTask {
    pub assignee: Option<Source>,
    pub candidate_users: Option<Source>,
    pub candidate_groups: Option<Source>,
    pub due_date: Option<Source>,
    pub follow_up_date: Option<Source>,
    pub priority: Option<Source>,
    pub form: Option<FormLink>,
}

#[derive(Clone, Debug)]
pub enum FormLink {
    /// A deployed form.
    Deployed { form_id: Source, binding: Binding },
    /// A form outside; native tasks only.
    External { reference: Source },
    /// The form key of a job-based task, as written.
    Key(Text),
}

#[derive(Clone, Debug)]
pub struct CalledElement {
    pub process_id: Source,
    pub binding: Binding,
    pub propagates_all_parent_variables: bool,
    pub propagates_all_child_variables: bool,
    /// None: the called instance has that of its caller.
    pub business_id: Option<Source>,
}

/// Which version of another resource is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binding {
    /// The newest at the moment of activation.
    Latest,
    /// The one deployed together with this process.
    Deployment,
    /// The newest that carries this tag.
    VersionTag(Text),
}
