//! Which function answers which operation.

use super::call::{Call, Handled};
use super::{
    element_instances, expressions, forms, incidents, jobs, message_subscriptions, messages,
    process_definitions, process_instances, resources, system, user_tasks, variables,
};
use futures_util::future::BoxFuture;

pub(super) type Handler = fn(Call) -> BoxFuture<'static, Handled>;

macro_rules! handlers {
    ($($operation:literal => $module:ident::$function:ident),+ $(,)?) => {
        /// The handler of an operation; none where it is not offered.
        pub(super) fn find(operation: &str) -> Option<Handler> {
            match operation {
                $($operation => Some(|call| Box::pin($module::$function(call))),)+
                _ => None,
            }
        }
    };
}

handlers! {
    "createDeployment" => resources::deploy,
    "searchResources" => resources::search,
    "getResource" => resources::get,
    "getResourceContent" => resources::content,
    "getResourceContentBinary" => resources::binary,
    "deleteResource" => resources::delete,
    "getFormByKey" => forms::get,

    "searchProcessDefinitions" => process_definitions::search,
    "getProcessDefinition" => process_definitions::get,
    "getProcessDefinitionXML" => process_definitions::xml,
    "getStartProcessForm" => forms::of_process,
    "getProcessDefinitionStatistics" => process_definitions::element_statistics,
    "getProcessDefinitionInstanceStatistics" => process_definitions::instance_statistics,
    "getProcessDefinitionInstanceVersionStatistics" => process_definitions::version_statistics,

    "createProcessInstance" => process_instances::create,
    "assignProcessInstanceBusinessId" => process_instances::assign_business_id,
    "cancelProcessInstance" => process_instances::cancel,
    "deleteProcessInstance" => process_instances::delete,
    "searchProcessInstances" => process_instances::search,
    "getProcessInstance" => process_instances::get,
    "searchProcessInstanceIncidents" => incidents::of_instance,
    "getProcessInstanceSequenceFlows" => process_instances::sequence_flows,
    "getProcessInstanceStatistics" => process_instances::element_statistics,
    "getProcessInstanceCallHierarchy" => process_instances::call_hierarchy,

    "searchElementInstances" => element_instances::search,
    "getElementInstance" => element_instances::get,
    "searchElementInstanceIncidents" => incidents::of_element,
    "createElementInstanceVariables" => variables::set,

    "activateJobs" => jobs::activate,
    "completeJob" => jobs::complete,
    "failJob" => jobs::fail,
    "throwJobError" => jobs::throw_error,
    "updateJob" => jobs::update,
    "searchJobs" => jobs::search,

    "searchUserTasks" => user_tasks::search,
    "getUserTask" => user_tasks::get,
    "updateUserTask" => user_tasks::update,
    "unassignUserTask" => user_tasks::unassign,
    "assignUserTask" => user_tasks::assign,
    "completeUserTask" => user_tasks::complete,
    "searchUserTaskVariables" => variables::of_user_task,
    "searchUserTaskEffectiveVariables" => variables::effective_of_user_task,
    "getUserTaskForm" => forms::of_user_task,

    "searchVariables" => variables::search,
    "getVariable" => variables::get,

    "publishMessage" => messages::publish,
    "correlateMessage" => messages::correlate,
    "searchMessageSubscriptions" => message_subscriptions::search,
    "searchCorrelatedMessageSubscriptions" => messages::search_correlations,
    "broadcastSignal" => messages::broadcast,

    "searchIncidents" => incidents::search,
    "getIncident" => incidents::get,
    "resolveIncident" => incidents::resolve,
    "resolveProcessInstanceIncidents" => incidents::resolve_of_instance,
    "getProcessInstanceStatisticsByError" => incidents::error_statistics,

    "getTopology" => system::topology,
    "getStatus" => system::status,
    "getLicense" => system::license,
    "getAuthentication" => system::authentication,
    "getSystemConfiguration" => system::configuration,
    "pinClock" => system::pin_clock,
    "resetClock" => system::reset_clock,
    "evaluateExpression" => expressions::evaluate,
}

#[cfg(test)]
mod tests {
    use super::super::schema::Api;

    #[test]
    fn what_is_described_with_answers_is_offered_and_nothing_else() {
        for operation in &Api::get().operations {
            assert_eq!(super::find(operation.id).is_some(), operation.is_offered(), "{}", operation.id);
        }
    }
}
