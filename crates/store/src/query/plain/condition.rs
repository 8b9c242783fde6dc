//! Filters over views: each condition is a plain comparison.

use super::{Related, Shown};
use crate::query::{Condition, ElementInstanceField, Filter, IncidentField, JobField, Test, VariableScope};
use crate::view::VariableView;

impl<F: Shown> Filter<F> {
    pub fn passes(&self, view: &F::View, related: &dyn Related) -> bool {
        self.all.iter().all(|condition| condition.holds(view, related))
    }
}

impl<F: Shown> Condition<F> {
    fn holds(&self, view: &F::View, related: &dyn Related) -> bool {
        match self {
            Condition::Is(field, test) => field.value(view, related).passes(test),
            Condition::Any(filters) => {
                filters.is_empty() || filters.iter().any(|filter| filter.passes(view, related))
            }
            Condition::HasVariable { scope, name, value } => {
                let variables = F::instance(view).map_or_else(Vec::new, |key| related.variables_of(key));
                variables.iter().any(|variable| {
                    variable.name == *name
                        && is_in_scope::<F>(variable, *scope, view)
                        && has_value(variable, value)
                })
            }
            // All tests must pass on the same row. Two tests that pass on two different elements find nothing.
            Condition::HasElement(tests) => {
                let elements = F::instance(view).map_or_else(Vec::new, |key| related.elements_of(key));
                elements.iter().any(|element| all_pass::<ElementInstanceField>(element, tests, related))
            }
            Condition::HasIncident(tests) => {
                let incidents = F::instance(view).map_or_else(Vec::new, |key| related.incidents_of(key));
                incidents.iter().any(|incident| all_pass::<IncidentField>(incident, tests, related))
            }
            Condition::HasJob(tests) => {
                let jobs = F::instance(view).map_or_else(Vec::new, |key| related.jobs_of(key));
                jobs.iter().any(|job| all_pass::<JobField>(job, tests, related))
            }
            Condition::WithinInstance(instance) => {
                F::instance(view).is_some_and(|key| related.instances_within(*instance).contains(&key))
            }
            Condition::WithinElement(element) => {
                F::element(view).is_some_and(|key| related.elements_within(*element).contains(&key))
            }
        }
    }
}

fn all_pass<F: Shown>(view: &F::View, tests: &[(F, Test)], related: &dyn Related) -> bool {
    tests.iter().all(|(field, test)| field.value(view, related).passes(test))
}

fn is_in_scope<F: Shown>(variable: &VariableView, scope: VariableScope, view: &F::View) -> bool {
    match scope {
        VariableScope::Anywhere => true,
        VariableScope::Instance => variable.scope == variable.instance.scope(),
        VariableScope::Local => F::element(view) == Some(variable.scope),
    }
}

/// A variable is compared as JSON text, which is how clients send the value.
fn has_value(variable: &VariableView, tests: &[Test]) -> bool {
    let value = super::FieldValue::Text(variable.value.as_str());
    tests.iter().all(|test| value.passes(test))
}
