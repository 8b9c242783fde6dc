//! Options of an element beyond its place: jobs, mappings, headers, user task data, collections.

use super::write::{empty_tag, tag, text};

type Attributes = Vec<(&'static str, String)>;

/// Attributes are written as given: FEEL begins with `=`.
#[derive(Clone, Default, Debug)]
pub struct Options {
    pub(super) name: Option<String>,
    job: Attributes,
    job_priority: Option<String>,
    inputs: Vec<(String, String)>,
    outputs: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    assignment: Attributes,
    schedule: Attributes,
    priority: Option<String>,
    form: Attributes,
    called: Attributes,
    is_multi_instance: bool,
    is_sequential: bool,
    collection: Attributes,
    completion_condition: Option<String>,
}

impl Options {
    pub fn name(mut self, name: &str) -> Options {
        self.name = Some(name.to_string());
        self
    }

    pub fn job_type(mut self, job_type: &str) -> Options {
        self.job.push(("type", job_type.to_string()));
        self
    }

    pub fn retries(mut self, retries: &str) -> Options {
        self.job.push(("retries", retries.to_string()));
        self
    }

    pub fn job_priority(mut self, priority: &str) -> Options {
        self.job_priority = Some(priority.to_string());
        self
    }

    pub fn input(mut self, source: &str, target: &str) -> Options {
        self.inputs.push((source.to_string(), target.to_string()));
        self
    }

    pub fn output(mut self, source: &str, target: &str) -> Options {
        self.outputs.push((source.to_string(), target.to_string()));
        self
    }

    pub fn header(mut self, key: &str, value: &str) -> Options {
        self.headers.push((key.to_string(), value.to_string()));
        self
    }

    pub fn assignee(mut self, assignee: &str) -> Options {
        self.assignment.push(("assignee", assignee.to_string()));
        self
    }

    pub fn candidate_users(mut self, users: &str) -> Options {
        self.assignment.push(("candidateUsers", users.to_string()));
        self
    }

    pub fn candidate_groups(mut self, groups: &str) -> Options {
        self.assignment.push(("candidateGroups", groups.to_string()));
        self
    }

    pub fn due_date(mut self, date: &str) -> Options {
        self.schedule.push(("dueDate", date.to_string()));
        self
    }

    pub fn follow_up_date(mut self, date: &str) -> Options {
        self.schedule.push(("followUpDate", date.to_string()));
        self
    }

    /// Of a user task.
    pub fn priority(mut self, priority: &str) -> Options {
        self.priority = Some(priority.to_string());
        self
    }

    pub fn form_id(mut self, form_id: &str) -> Options {
        self.form.push(("formId", form_id.to_string()));
        self
    }

    pub fn form_key(mut self, key: &str) -> Options {
        self.form.push(("formKey", key.to_string()));
        self
    }

    pub fn external_reference(mut self, reference: &str) -> Options {
        self.form.push(("externalReference", reference.to_string()));
        self
    }

    /// `latest`, `deployment` or `versionTag`, of the called process or of the form.
    pub fn binding(mut self, binding: &str) -> Options {
        self.bound().push(("bindingType", binding.to_string()));
        self
    }

    pub fn version_tag(mut self, tag: &str) -> Options {
        self.bound().push(("versionTag", tag.to_string()));
        self
    }

    fn bound(&mut self) -> &mut Attributes {
        if self.called.is_empty() { &mut self.form } else { &mut self.called }
    }

    pub(super) fn called_process(mut self, process_id: &str) -> Options {
        self.called.push(("processId", process_id.to_string()));
        self
    }

    /// The business id of the called instance.
    pub fn called_business_id(mut self, source: &str) -> Options {
        self.called.push(("businessId", source.to_string()));
        self
    }

    pub fn propagate_all_parent_variables(mut self, propagate: bool) -> Options {
        self.called.push(("propagateAllParentVariables", propagate.to_string()));
        self
    }

    pub fn propagate_all_child_variables(mut self, propagate: bool) -> Options {
        self.called.push(("propagateAllChildVariables", propagate.to_string()));
        self
    }

    /// One instance per item, all at once.
    pub fn multi_instance(mut self, input_collection: &str, input_element: &str) -> Options {
        self.is_multi_instance = true;
        self.collection.push(("inputCollection", input_collection.to_string()));
        self.collection.push(("inputElement", input_element.to_string()));
        self
    }

    /// One after the other.
    pub fn sequential(mut self) -> Options {
        self.is_sequential = true;
        self
    }

    pub fn collect(mut self, output_element: &str, output_collection: &str) -> Options {
        self.collection.push(("outputElement", output_element.to_string()));
        self.collection.push(("outputCollection", output_collection.to_string()));
        self
    }

    pub fn completion_condition(mut self, condition: &str) -> Options {
        self.completion_condition = Some(condition.to_string());
        self
    }

    /// The extension elements.
    pub(super) fn extensions(&self) -> String {
        let mut xml = String::new();
        let mut element = |name: &str, attributes: &Attributes| {
            if !attributes.is_empty() {
                xml.push_str(&empty_tag(name, &borrowed(attributes)));
            }
        };
        element("zeebe:taskDefinition", &self.job);
        element("zeebe:calledElement", &self.called);
        element("zeebe:assignmentDefinition", &self.assignment);
        element("zeebe:taskSchedule", &self.schedule);
        element("zeebe:formDefinition", &self.form);
        for (name, value) in [
            ("zeebe:jobPriorityDefinition", &self.job_priority),
            ("zeebe:priorityDefinition", &self.priority),
        ] {
            if let Some(value) = value {
                xml.push_str(&empty_tag(name, &[("priority", value)]));
            }
        }
        xml.push_str(&self.headers());
        xml.push_str(&self.mappings());
        xml
    }

    fn headers(&self) -> String {
        let headers = self.headers.iter();
        let headers: String = headers
            .map(|(key, value)| empty_tag("zeebe:header", &[("key", key), ("value", value)]))
            .collect();
        if headers.is_empty() { headers } else { tag("zeebe:taskHeaders", &[], &headers) }
    }

    fn mappings(&self) -> String {
        let mut mappings = String::new();
        for (name, pairs) in [("zeebe:input", &self.inputs), ("zeebe:output", &self.outputs)] {
            for (source, target) in pairs {
                mappings.push_str(&empty_tag(name, &[("source", source), ("target", target)]));
            }
        }
        if mappings.is_empty() { mappings } else { tag("zeebe:ioMapping", &[], &mappings) }
    }

    pub(super) fn loop_characteristics(&self) -> String {
        if !self.is_multi_instance {
            return String::new();
        }
        let characteristics = empty_tag("zeebe:loopCharacteristics", &borrowed(&self.collection));
        let mut inside = tag("bpmn:extensionElements", &[], &characteristics);
        if let Some(condition) = &self.completion_condition {
            inside.push_str(&text("bpmn:completionCondition", condition));
        }
        let is_sequential = self.is_sequential.to_string();
        tag("bpmn:multiInstanceLoopCharacteristics", &[("isSequential", &is_sequential)], &inside)
    }
}

fn borrowed(attributes: &Attributes) -> Vec<(&str, &str)> {
    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect()
}
