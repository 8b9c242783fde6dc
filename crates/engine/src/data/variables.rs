//! Variables in scopes: set here, or merged from here upwards.

use crate::limits::{INDEXED_TEXT_BYTES_MAX, LISTED_OUTPUTS_MAX, VARIABLES_BYTES_MAX};
use crate::run::Run;
use crate::state::Working;
use crate::stop::{Stepped, Stop};
use tidemill_model::entity::{ElementInstance, IncidentKind, Variable};
use tidemill_model::{ElementInstanceKey, Event, RawJson, Rejection, RejectionCode, Text, Variables};

/// Sets a variable in this very scope. An equal value is no change.
pub(crate) fn set_local(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    name: &Text,
    value: &RawJson,
) -> Stepped {
    check_size(name, value)?;
    match run.local_variable(scope, name) {
        Some(variable) if variable.value == *value => Ok(()),
        Some(variable) => {
            let key = variable.key;
            let instance = variable.origin.instance;
            run.change::<Variable>(key)?.value = value.clone();
            run.record(key, Some(instance), || Event::VariableUpdated {
                scope: scope.key(),
                name: name.clone(),
                value: value.clone(),
            });
            Ok(())
        }
        None => {
            let (key, origin) = (run.new_key(), run.origin(scope)?);
            let instance = origin.instance;
            run.insert(Variable { key, origin, scope, name: name.clone(), value: value.clone() });
            run.record(key, Some(instance), || Event::VariableCreated {
                scope: scope.key(),
                name: name.clone(),
                value: value.clone(),
            });
            Ok(())
        }
    }
}

pub(crate) fn set_all_local(run: &mut Run<'_>, scope: ElementInstanceKey, variables: &Variables) -> Stepped {
    for (name, value) in variables.iter() {
        set_local(run, scope, name, value)?;
    }
    Ok(())
}

/// Merges from a scope: a name is updated in the nearest scope that has it, or made in the process scope. A
/// scope whose variable already has exactly that value does not absorb it; the update travels on.
pub(crate) fn merge(run: &mut Run<'_>, from: ElementInstanceKey, variables: &Variables) -> Stepped {
    for (name, value) in variables.iter() {
        merge_one(run, from, name, value)?;
    }
    Ok(())
}

fn merge_one(run: &mut Run<'_>, from: ElementInstanceKey, name: &Text, value: &RawJson) -> Stepped {
    let mut scope = from;
    loop {
        let is_absorbed = run.local_variable(scope, name).is_some_and(|variable| variable.value != *value);
        let parent = run
            .find_scope(scope)?
            .ok_or_else(|| Stop::broken("variables are merged from a scope that has ended"))?
            .parent;
        match parent {
            Some(parent) if !is_absorbed => scope = parent,
            _ => return set_local(run, scope, name, value),
        }
    }
}

/// Fails for a name or value that is too large for a variable.
pub(crate) fn check_size(name: &Text, value: &RawJson) -> Stepped {
    if name.len() > INDEXED_TEXT_BYTES_MAX {
        let message = format!(
            "Expected names of variables to have at most {INDEXED_TEXT_BYTES_MAX} bytes, but one has {}",
            name.len()
        );
        return Err(Stop::fail(IncidentKind::ExtractValueError, message));
    }
    if value.as_str().len() <= VARIABLES_BYTES_MAX {
        return Ok(());
    }
    Err(Stop::fail(
        IncidentKind::MessageSizeExceeded,
        format!(
            "Expected variable '{name}' to have at most {VARIABLES_BYTES_MAX} bytes, but it has {}",
            value.as_str().len()
        ),
    ))
}

/// Refuses a command that brings more than fits, or names that no store takes.
pub(crate) fn check_command(variables: &Variables) -> Result<(), Rejection> {
    let bytes = variables.size_bytes();
    if bytes > VARIABLES_BYTES_MAX {
        return Err(Rejection::new(
            RejectionCode::ExceededSize,
            format!("Expected at most {VARIABLES_BYTES_MAX} bytes of variables, but got {bytes}"),
        ));
    }
    for (name, _) in variables.iter() {
        if name.len() > INDEXED_TEXT_BYTES_MAX || name.contains('\0') {
            let start: String = name.chars().take(40).collect();
            return Err(Rejection::invalid_argument(format!(
                "Expected names of variables to have at most {INDEXED_TEXT_BYTES_MAX} bytes and no character \
                 NUL, but one begins with '{}'",
                start.escape_debug()
            )));
        }
    }
    Ok(())
}

impl Working {
    /// The variables of this very scope.
    pub(crate) fn local_variables(&self, scope: ElementInstanceKey) -> Variables {
        let keys = self.links(scope).into_iter().flat_map(|links| links.variables.values());
        let rows = keys.filter_map(|key| self.get::<Variable>(*key));
        rows.map(|variable| (variable.name.clone(), variable.value.clone())).collect()
    }

    /// Everything visible from a scope, or only the given names; the nearest value of a name counts.
    pub(crate) fn visible_variables(&self, from: ElementInstanceKey, names: &[Text]) -> Stepped<Variables> {
        self.visible_with(from, names, |_| Ok(None))
    }

    /// The same for a worker, who also sees the output collections of the bodies around the job as they stand. A
    /// long one would come with the job of each of its many instances, so it must be asked for by name.
    pub(crate) fn visible_for_worker(&self, from: ElementInstanceKey, names: &[Text]) -> Stepped<Variables> {
        self.visible_with(from, names, |body| {
            let Some(name) = self.output_collection(body)? else { return Ok(None) };
            let total = body.progress.unwrap_or_default().total;
            let is_wanted =
                if names.is_empty() { total <= LISTED_OUTPUTS_MAX } else { names.contains(&name) };
            Ok(if is_wanted { Some((name, self.collected_json(body)?)) } else { None })
        })
    }

    /// Each scope can add what is no variable yet.
    fn visible_with(
        &self,
        from: ElementInstanceKey,
        names: &[Text],
        collected: impl Fn(&ElementInstance) -> Stepped<Option<(Text, RawJson)>>,
    ) -> Stepped<Variables> {
        let mut found = Vec::new();
        let mut scope = Some(from);
        while let Some(key) = scope {
            let local = self.links(key).map(|links| &links.variables);
            let wanted: Vec<_> = match local {
                Some(local) if names.is_empty() => local.values().collect(),
                Some(local) => names.iter().filter_map(|name| local.get(name)).collect(),
                None => Vec::new(),
            };
            let rows = wanted.into_iter().filter_map(|variable| self.get::<Variable>(*variable));
            found.extend(rows.map(|variable| (variable.name.clone(), variable.value.clone())));
            scope = self.find_scope(key)?.and_then(|info| info.parent);
            if let Some(element) = self.get::<ElementInstance>(key) {
                found.extend(collected(element)?);
            }
        }
        Ok(Variables::nearest(found))
    }
}
