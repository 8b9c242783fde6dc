//! What can be filtered and sorted by, per entity, under the names of the API.

/// How the values of a field compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A 64-bit key; a text of digits in the API.
    Key,
    Int,
    /// Epoch milliseconds.
    Time,
    Text,
    Bool,
    /// Several texts; a test asks whether one of them passes.
    Texts,
}

/// A field of one searchable entity.
pub trait Field: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    fn name(self) -> &'static str;
    fn kind(self) -> FieldKind;
    fn from_name(name: &str) -> Option<Self>;
    /// The entity's own key: always the last sort criterion.
    fn key() -> Self;
    fn all() -> &'static [Self];
}

macro_rules! fields {
    ($(#[$doc:meta])* $entity:ident by $key:ident { $($field:ident: $kind:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $entity {
            $($field,)+
        }

        impl Field for $entity {
            fn name(self) -> &'static str {
                match self {
                    $($entity::$field => $name,)+
                }
            }

            fn kind(self) -> FieldKind {
                match self {
                    $($entity::$field => FieldKind::$kind,)+
                }
            }

            fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($entity::$field),)+
                    _ => None,
                }
            }

            fn key() -> Self {
                $entity::$key
            }

            fn all() -> &'static [Self] {
                &[$($entity::$field),+]
            }
        }
    };
}

fields! {
    ProcessDefinitionField by Key {
        Key: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        Name: Text = "name",
        ResourceName: Text = "resourceName",
        Version: Int = "version",
        VersionTag: Text = "versionTag",
        TenantId: Text = "tenantId",
        HasStartForm: Bool = "hasStartForm",
        State: Text = "state",
        IsLatestVersion: Bool = "isLatestVersion",
    }
}

fields! {
    ProcessInstanceField by Key {
        Key: Key = "processInstanceKey",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        ProcessName: Text = "processDefinitionName",
        Version: Int = "processDefinitionVersion",
        VersionTag: Text = "processDefinitionVersionTag",
        ParentInstance: Key = "parentProcessInstanceKey",
        ParentElement: Key = "parentElementInstanceKey",
        Root: Key = "rootProcessInstanceKey",
        StartDate: Time = "startDate",
        EndDate: Time = "endDate",
        SuspendedDate: Time = "suspendedDate",
        State: Text = "state",
        HasIncident: Bool = "hasIncident",
        TenantId: Text = "tenantId",
        BusinessId: Text = "businessId",
        Tags: Texts = "tags",
    }
}

fields! {
    ElementInstanceField by Key {
        Key: Key = "elementInstanceKey",
        ProcessInstance: Key = "processInstanceKey",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        StartDate: Time = "startDate",
        EndDate: Time = "endDate",
        ElementId: Text = "elementId",
        Type: Text = "type",
        State: Text = "state",
        HasIncident: Bool = "hasIncident",
        IncidentKey: Key = "incidentKey",
        TenantId: Text = "tenantId",
        Scope: Key = "elementInstanceScopeKey",
    }
}

fields! {
    JobField by Key {
        Key: Key = "jobKey",
        Type: Text = "type",
        Kind: Text = "kind",
        Worker: Text = "worker",
        Deadline: Time = "deadline",
        State: Text = "state",
        Retries: Int = "retries",
        Priority: Int = "priority",
        ErrorCode: Text = "errorCode",
        ErrorMessage: Text = "errorMessage",
        HasFailedWithRetriesLeft: Bool = "hasFailedWithRetriesLeft",
        ElementId: Text = "elementId",
        ElementInstance: Key = "elementInstanceKey",
        ProcessInstance: Key = "processInstanceKey",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        CreationTime: Time = "creationTime",
        LastUpdateTime: Time = "lastUpdateTime",
        EndTime: Time = "endTime",
        TenantId: Text = "tenantId",
        BusinessId: Text = "businessId",
    }
}

fields! {
    UserTaskField by Key {
        Key: Key = "userTaskKey",
        State: Text = "state",
        Assignee: Text = "assignee",
        BusinessId: Text = "businessId",
        Priority: Int = "priority",
        ElementId: Text = "elementId",
        Name: Text = "name",
        CandidateGroup: Texts = "candidateGroup",
        CandidateUser: Texts = "candidateUser",
        TenantId: Text = "tenantId",
        ProcessId: Text = "processDefinitionId",
        CreationDate: Time = "creationDate",
        CompletionDate: Time = "completionDate",
        FollowUpDate: Time = "followUpDate",
        DueDate: Time = "dueDate",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessInstance: Key = "processInstanceKey",
        ElementInstance: Key = "elementInstanceKey",
        Tags: Texts = "tags",
    }
}

fields! {
    VariableField by Key {
        Key: Key = "variableKey",
        Name: Text = "name",
        Value: Text = "value",
        TenantId: Text = "tenantId",
        Scope: Key = "scopeKey",
        ProcessInstance: Key = "processInstanceKey",
        IsTruncated: Bool = "isTruncated",
    }
}

fields! {
    MessageSubscriptionField by Key {
        Key: Key = "messageSubscriptionKey",
        BusinessId: Text = "businessId",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        ProcessName: Text = "processDefinitionName",
        Version: Int = "processDefinitionVersion",
        ProcessInstance: Key = "processInstanceKey",
        ElementId: Text = "elementId",
        ElementInstance: Key = "elementInstanceKey",
        State: Text = "messageSubscriptionState",
        Type: Text = "messageSubscriptionType",
        LastUpdatedDate: Time = "lastUpdatedDate",
        MessageName: Text = "messageName",
        CorrelationKey: Text = "correlationKey",
        TenantId: Text = "tenantId",
    }
}

fields! {
    /// One subscription can take several messages, so its key alone does not name a correlation: stores add
    /// the message key behind it.
    CorrelationField by SubscriptionKey {
        SubscriptionKey: Key = "subscriptionKey",
        MessageKey: Key = "messageKey",
        BusinessId: Text = "businessId",
        CorrelationKey: Text = "correlationKey",
        CorrelationTime: Time = "correlationTime",
        ElementId: Text = "elementId",
        ElementInstance: Key = "elementInstanceKey",
        MessageName: Text = "messageName",
        PartitionId: Int = "partitionId",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        ProcessInstance: Key = "processInstanceKey",
        TenantId: Text = "tenantId",
    }
}

fields! {
    IncidentField by Key {
        Key: Key = "incidentKey",
        DefinitionKey: Key = "processDefinitionKey",
        ProcessId: Text = "processDefinitionId",
        ProcessInstance: Key = "processInstanceKey",
        ErrorType: Text = "errorType",
        ErrorMessage: Text = "errorMessage",
        ErrorHash: Int = "incidentErrorHashCode",
        ElementId: Text = "elementId",
        ElementInstance: Key = "elementInstanceKey",
        CreationTime: Time = "creationTime",
        State: Text = "state",
        JobKey: Key = "jobKey",
        TenantId: Text = "tenantId",
    }
}

fields! {
    ResourceField by Key {
        Key: Key = "resourceKey",
        ResourceName: Text = "resourceName",
        ResourceId: Text = "resourceId",
        Version: Int = "version",
        VersionTag: Text = "versionTag",
        DeploymentKey: Key = "deploymentKey",
        TenantId: Text = "tenantId",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_fields_and_back() {
        assert_eq!(JobField::from_name("deadline"), Some(JobField::Deadline));
        assert_eq!(JobField::Deadline.name(), "deadline");
        assert_eq!(JobField::Deadline.kind(), FieldKind::Time);
        assert_eq!(JobField::from_name("nonsense"), None);
    }
}
