//! The processes that are measured.

use clap::ValueEnum;

pub(super) const PROCESS_ID: &str = "bench";
pub(super) const JOB_TYPE: &str = "bench";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum Model {
    /// Start, one service task, end
    OneTask,
    /// Ten service tasks in a row
    TenTask,
    /// One service task, ten times in parallel
    MultiInstance,
}

impl Model {
    pub(super) fn name(self) -> &'static str {
        match self {
            Model::OneTask => "one-task",
            Model::TenTask => "ten-task",
            Model::MultiInstance => "multi-instance",
        }
    }

    pub(super) fn jobs_per_instance(self) -> u64 {
        match self {
            Model::OneTask => 1,
            Model::TenTask | Model::MultiInstance => 10,
        }
    }

    pub(super) fn xml(self) -> String {
        let loops = match self {
            Model::MultiInstance => {
                "<multiInstanceLoopCharacteristics><extensionElements>\
                 <zeebe:loopCharacteristics inputCollection=\"=[1,2,3,4,5,6,7,8,9,10]\" inputElement=\"item\"/>\
                 </extensionElements></multiInstanceLoopCharacteristics>"
            }
            Model::OneTask | Model::TenTask => "",
        };
        let tasks = if self == Model::TenTask { 10 } else { 1 };
        let tasks: String = (1..=tasks)
            .map(|number| {
                format!(
                    "<serviceTask id=\"task-{number}\"><extensionElements>\
                     <zeebe:taskDefinition type=\"{JOB_TYPE}\"/></extensionElements>{loops}</serviceTask>\
                     <sequenceFlow id=\"flow-{number}\" sourceRef=\"task-{number}\" targetRef=\"{}\"/>",
                    if number == tasks { "end".to_owned() } else { format!("task-{}", number + 1) }
                )
            })
            .collect();
        format!(
            "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
             xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" targetNamespace=\"bench\">\
             <process id=\"{PROCESS_ID}\" isExecutable=\"true\"><startEvent id=\"start\"/>\
             <sequenceFlow id=\"flow-0\" sourceRef=\"start\" targetRef=\"task-1\"/>{tasks}\
             <endEvent id=\"end\"/></process></definitions>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_models_can_be_deployed() {
        for model in Model::value_variants() {
            tidemill_bpmn::read(model.xml()).unwrap_or_else(|findings| panic!("{model:?}: {findings}"));
        }
    }
}
