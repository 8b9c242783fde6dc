//! The searches that every store answers, one line per searchable entity.

use super::plain::Shown;
use super::{Results, Search};
use crate::Result;
use async_trait::async_trait;

/// Gives the list to a macro, which is named in the first brackets; what stands in the second is passed on before it.
///
/// Each line has the method that searches, the field by which it does, and the method that reads one entity by its key,
/// where there is one.
#[macro_export]
macro_rules! for_each_search {
    ([$($then:tt)+] [$($with:tt)*]) => {
        $($then)+! {
            [$($with)*]
            process_definitions(ProcessDefinitionField);
            process_instances(ProcessInstanceField), process_instance(ProcessInstanceKey);
            element_instances(ElementInstanceField), element_instance(ElementInstanceKey);
            jobs(JobField), job(JobKey);
            user_tasks(UserTaskField), user_task(UserTaskKey);
            variables(VariableField), variable(VariableKey);
            message_subscriptions(MessageSubscriptionField);
            message_correlations(CorrelationField);
            incidents(IncidentField), incident(IncidentKey);
            resources(ResourceField);
        }
    };
}

macro_rules! define {
    ([] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {
        $(pub use crate::view::$field;)+

        #[async_trait]
        pub trait Searches: Send + Sync {
            $(
                async fn $search(
                    &self,
                    search: &Search<$crate::view::$field>,
                ) -> Result<Results<<$crate::view::$field as Shown>::View>>;

                $(
                    async fn $get(
                        &self,
                        key: tidemill_model::$key,
                    ) -> Result<Option<<$crate::view::$field as Shown>::View>>;
                )?
            )+
        }
    };
}

for_each_search!([define] []);

/// Answers all searches of a store by two methods of its own: `search`, and `single` for one entity by its key.
#[macro_export]
macro_rules! implement_searches {
    ($store:ty) => {
        $crate::for_each_search!([$crate::implement_each_search][$store]);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! implement_each_search {
    ([$store:ty] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {
        #[async_trait::async_trait]
        impl $crate::query::Searches for $store {
            $(
                async fn $search(
                    &self,
                    search: &$crate::query::Search<$crate::view::$field>,
                ) -> $crate::Result<
                    $crate::query::Results<<$crate::view::$field as $crate::query::plain::Shown>::View>,
                > {
                    self.search(search).await
                }

                $(
                    async fn $get(
                        &self,
                        key: tidemill_model::$key,
                    ) -> $crate::Result<
                        Option<<$crate::view::$field as $crate::query::plain::Shown>::View>,
                    > {
                        self.single::<$crate::view::$field>(key.0).await
                    }
                )?
            )+
        }
    };
}
