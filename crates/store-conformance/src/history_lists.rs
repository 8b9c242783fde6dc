//! The searches that the command line, the official clients and a user interface send by themselves, beside those of
//! `searches_over_history`: each with the filter and the order in which it is sent. One line a search.

/// Gives a name and a search to `$check`, one after the other.
#[macro_export]
macro_rules! lists_over_history {
    ($history:ident, $check:ident) => {{
        use tidemill_store::query::*;
        let history: &$crate::history::History = $history;
        fn by<F>(fields: impl IntoIterator<Item = F>, order: Order) -> Vec<Sort<F>> {
            fields.into_iter().map(|field| Sort { field, order }).collect()
        }
        fn of<F>(filter: Filter<F>, sort: Vec<Sort<F>>) -> Search<F> {
            Search { filter, sort, ..Search::default() }
        }
        const NEWEST: Order = Order::Descending;
        const OLDEST: Order = Order::Ascending;
        let (instance, element) = (history.some.key.0, history.element.key.0);
        let definition = history.definition.key.0;

        use ProcessInstanceField as Instance;
        let any = Filter::<Instance>::default;
        let newest = || by([Instance::StartDate, Instance::Key], NEWEST);
        let active = || any().is(Instance::State, Test::eq("ACTIVE"));
        $check!("CLI: instances", of(active(), newest()));
        $check!(
            "CLI: instances of a process",
            of(active().is(Instance::ProcessId, Test::eq("order")), newest())
        );
        $check!(
            "CLI: instances with incidents",
            of(active().is(Instance::HasIncident, Test::eq(true)), newest())
        );
        $check!("CLI: all of a process", of(any().is(Instance::ProcessId, Test::eq("order")), newest()));
        $check!(
            "CLI: with a business id",
            of(any().is(Instance::BusinessId, Test::eq("order-77")), newest())
        );
        $check!("client: one instance", of(any().is(Instance::Key, Test::eq(instance)), vec![]));
        $check!("client: oldest instances", of(any(), by([Instance::StartDate], OLDEST)));
        $check!("client: ended first", of(any(), by([Instance::EndDate], OLDEST)));
        $check!(
            "UI: several states",
            of(any().is(Instance::State, Test::In(vec!["ACTIVE".into(), "COMPLETED".into()])), newest())
        );
        $check!("UI: started since", of(any().is(Instance::StartDate, Test::Gte(0.into())), newest()));
        $check!("UI: of a tenant", of(any().is(Instance::TenantId, Test::eq("<default>")), newest()));
        $check!(
            "UI: completed of a version",
            of(
                any()
                    .is(Instance::DefinitionKey, Test::eq(definition))
                    .is(Instance::State, Test::eq("COMPLETED")),
                newest()
            )
        );

        use ElementInstanceField as Element;
        let any = Filter::<Element>::default;
        let own = || any().is(Element::ProcessInstance, Test::eq(instance));
        $check!("CLI: show, elements", of(own(), by([Element::StartDate, Element::Key], OLDEST)));
        $check!("client: active elements", of(own().is(Element::State, Test::eq("ACTIVE")), vec![]));
        $check!("client: one element", of(any().is(Element::Key, Test::eq(element)), vec![]));
        $check!("client: elements of an id", of(own().is(Element::ElementId, Test::eq("work")), vec![]));
        $check!("UI: history of elements", of(own(), by([Element::EndDate], NEWEST)));

        use VariableField as Variable;
        let any = Filter::<Variable>::default;
        let own = || any().is(Variable::ProcessInstance, Test::eq(instance));
        $check!("CLI: variables", of(own(), by([Variable::Name, Variable::Key], OLDEST)));
        $check!("CLI: variables of a name", of(own().is(Variable::Name, Test::eq("amount")), vec![]));
        $check!("client: variables of a scope", of(own().is(Variable::Scope, Test::eq(element)), vec![]));

        use JobField as Job;
        let any = Filter::<Job>::default;
        let newest = || by([Job::CreationTime, Job::Key], NEWEST);
        let open = || any().is(Job::EndTime, Test::Exists(false));
        let own = || any().is(Job::ProcessInstance, Test::eq(instance));
        $check!("CLI: jobs", of(open(), newest()));
        $check!("CLI: jobs of a type", of(open().is(Job::Type, Test::eq("work")), newest()));
        $check!(
            "CLI: jobs of an instance",
            of(open().is(Job::ProcessInstance, Test::eq(instance)), newest())
        );
        $check!("CLI: all jobs of an instance", of(own(), newest()));
        $check!("client: jobs of an element", of(own().is(Job::ElementInstance, Test::eq(element)), vec![]));

        use UserTaskField as Task;
        let any = Filter::<Task>::default;
        let newest = || by([Task::CreationDate, Task::Key], NEWEST);
        let open = || any().is(Task::State, Test::eq("CREATED"));
        $check!("CLI: tasks", of(open(), newest()));
        $check!("CLI: tasks of a user", of(open().is(Task::Assignee, Test::eq("user-20")), newest()));
        $check!("UI: tasks of a group", of(open().is(Task::CandidateGroup, Test::eq("clerks")), newest()));
        $check!("UI: tasks of nobody", of(open().is(Task::Assignee, Test::Exists(false)), newest()));
        $check!("UI: completed last", of(any(), by([Task::CompletionDate], NEWEST)));
        $check!("UI: tasks of an element", of(any().is(Task::ElementInstance, Test::eq(element)), vec![]));

        use IncidentField as Incident;
        let any = Filter::<Incident>::default;
        let newest = || by([Incident::CreationTime, Incident::Key], NEWEST);
        let active = || any().is(Incident::State, Test::eq("ACTIVE"));
        $check!("CLI: incidents", of(active(), newest()));
        $check!(
            "CLI: incidents of a process",
            of(active().is(Incident::ProcessId, Test::eq("order")), newest())
        );
        $check!(
            "CLI: incidents of an instance",
            of(any().is(Incident::ProcessInstance, Test::eq(instance)), newest())
        );
        $check!("CLI: all incidents", of(any(), newest()));
        $check!(
            "client: incidents of an element",
            of(any().is(Incident::ElementInstance, Test::eq(element)), vec![])
        );
        $check!(
            "client: incidents below an element",
            of(any().and(Condition::WithinElement(history.element.key)), vec![])
        );

        use MessageSubscriptionField as Subscription;
        let any = Filter::<Subscription>::default;
        $check!(
            "client: subscriptions of an element",
            of(any().is(Subscription::ElementInstance, Test::eq(element)), vec![])
        );
        $check!(
            "UI: subscriptions of a correlation key",
            of(any().is(Subscription::CorrelationKey, Test::eq("order-77")), vec![])
        );
    }};
}
