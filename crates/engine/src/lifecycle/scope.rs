//! Process instances and element instances seen alike: as scopes that hold children and tokens.

use crate::run::Run;
use crate::state::Working;
use crate::stop::Stepped;
use tidemill_model::entity::{ElementInstance, Lifecycle, Origin, ProcessInstance, Scope, Variable};
use tidemill_model::{
    DefinitionKey, ElementIndex, ElementInstanceKey, ElementIntent, ElementKind, Event, ProcessInstanceKey,
    Text,
};

/// The facts that process instances and element instances have in common.
#[derive(Clone, Copy)]
pub(crate) struct ScopeInfo {
    pub(crate) instance: ProcessInstanceKey,
    pub(crate) definition: DefinitionKey,
    pub(crate) element: ElementIndex,
    pub(crate) kind: ElementKind,
    pub(crate) state: Lifecycle,
    /// None for a process instance.
    pub(crate) parent: Option<ElementInstanceKey>,
}

impl Working {
    /// The scope with this key, if it still lives.
    pub(crate) fn find_scope(&self, key: ElementInstanceKey) -> Stepped<Option<ScopeInfo>> {
        if let Some(instance) = self.get::<ProcessInstance>(ProcessInstanceKey(key.0)) {
            return Ok(Some(ScopeInfo {
                instance: instance.key,
                definition: instance.definition,
                element: ElementIndex::PROCESS,
                kind: ElementKind::Process,
                state: instance.state,
                parent: None,
            }));
        }
        if self.is_gone::<ProcessInstance>(ProcessInstanceKey(key.0)) {
            return Ok(None);
        }
        Ok(self.find_element(key)?.map(|element| ScopeInfo {
            instance: element.origin.instance,
            definition: element.origin.definition,
            element: element.element,
            kind: element.kind,
            state: element.state,
            parent: Some(element.parent),
        }))
    }

    pub(crate) fn scope(&self, key: ElementInstanceKey) -> Stepped<&Scope> {
        if let Some(instance) = self.get::<ProcessInstance>(ProcessInstanceKey(key.0)) {
            return Ok(&instance.scope);
        }
        Ok(&self.element(key)?.scope)
    }

    pub(crate) fn scope_mut(&mut self, key: ElementInstanceKey) -> Stepped<&mut Scope> {
        if self.get::<ProcessInstance>(ProcessInstanceKey(key.0)).is_some() {
            return Ok(&mut self.change::<ProcessInstance>(ProcessInstanceKey(key.0))?.scope);
        }
        self.element(key)?;
        Ok(&mut self.change::<ElementInstance>(key)?.scope)
    }

    pub(crate) fn origin(&self, key: ElementInstanceKey) -> Stepped<Origin> {
        if let Some(instance) = self.get::<ProcessInstance>(ProcessInstanceKey(key.0)) {
            return Ok(Origin {
                instance: instance.key,
                root: instance.root,
                definition: instance.definition,
                tenant: instance.tenant.clone(),
            });
        }
        Ok(self.element(key)?.origin.clone())
    }
}

impl Run<'_> {
    /// Sets the state of a scope or element and notes it.
    pub(crate) fn transition(&mut self, key: ElementInstanceKey, to: Lifecycle) -> Stepped {
        let instance_key = ProcessInstanceKey(key.0);
        if self.get::<ProcessInstance>(instance_key).is_some() {
            self.change::<ProcessInstance>(instance_key)?.state = to;
        } else {
            self.change::<ElementInstance>(key)?.state = to;
        }
        if self.records_wanted {
            self.record_transition(key, to)?;
        }
        Ok(())
    }

    fn record_transition(&mut self, key: ElementInstanceKey, to: Lifecycle) -> Stepped {
        let (id, kind, instance) = self.describe(key)?;
        let intent = match to {
            Lifecycle::Activating => ElementIntent::Activating,
            Lifecycle::Activated => ElementIntent::Activated,
            Lifecycle::Completing => ElementIntent::Completing,
            Lifecycle::Completed => ElementIntent::Completed,
            Lifecycle::Terminating => ElementIntent::Terminating,
            Lifecycle::Terminated => ElementIntent::Terminated,
        };
        self.record(key, Some(instance), || Event::Element { id, kind, intent });
        Ok(())
    }

    fn describe(&self, key: ElementInstanceKey) -> Stepped<(Text, ElementKind, ProcessInstanceKey)> {
        if let Some(instance) = self.get::<ProcessInstance>(ProcessInstanceKey(key.0)) {
            let head = self.definition_head(instance.definition)?;
            return Ok((head.process_id.clone(), ElementKind::Process, instance.key));
        }
        let element = self.element(key)?;
        Ok((element.element_id.clone(), element.kind, element.origin.instance))
    }

    /// The variables of a scope that has ended become history.
    pub(crate) fn end_variables(&mut self, scope: ElementInstanceKey) {
        let Some(links) = self.links(scope) else { return };
        let keys: Vec<_> = links.variables.values().copied().collect();
        for key in keys {
            self.end::<Variable>(key);
        }
    }
}
