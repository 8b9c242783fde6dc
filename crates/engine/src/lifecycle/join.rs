//! Tokens that meet: when a parallel or inclusive gateway with several incoming flows may go on.

use super::activate::begin_activation;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::Stepped;
use rustc_hash::FxHashSet;
use tidemill_bpmn::{Behavior, Element, InclusiveJoin};
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, Scope, WaitingToken};
use tidemill_model::{ElementInstanceKey, FlowIndex};

/// Children of a scope that are looked at together.
const CHILDREN_PER_PAGE: usize = 1_000;

pub(super) fn is_join(target: &Element) -> bool {
    target.incoming.len() > 1 && matches!(target.behavior, Behavior::Parallel | Behavior::Inclusive { .. })
}

/// So many tokens have stopped travelling.
pub(super) fn settle_tokens(run: &mut Run<'_>, scope: ElementInstanceKey, tokens: u32) -> Stepped {
    let state = run.scope_mut(scope)?;
    state.flows = state.flows.saturating_sub(tokens);
    Ok(())
}

/// A token arrives at a join and waits there until the gateway can go on.
pub(super) fn arrive(
    run: &mut Run<'_>,
    definition: &Definition,
    scope: ElementInstanceKey,
    gateway: &Element,
    flow: FlowIndex,
) -> Stepped {
    let waiting = &mut run.scope_mut(scope)?.waiting;
    match waiting.iter_mut().find(|token| token.gateway == gateway.index && token.flow == flow) {
        Some(token) => token.count += 1,
        None => waiting.push(WaitingToken { gateway: gateway.index, flow, count: 1 }),
    }
    if is_ready(run, definition, scope, gateway)? {
        return fire(run, scope, gateway);
    }
    run.joins_to_check.push(scope);
    Ok(())
}

/// Asks the waiting inclusive joins of touched scopes once no step is left; true if one went on.
pub(crate) fn check_joins(run: &mut Run<'_>) -> Stepped<bool> {
    while let Some(scope) = run.joins_to_check.pop() {
        let Some(info) = run.find_scope(scope)?.filter(|info| info.state.is_open()) else { continue };
        let definition = run.definition(info.definition)?;
        let state = run.scope(scope)?;
        if state.interruption.is_some() {
            continue;
        }
        let mut gateways: Vec<_> = state.waiting.iter().map(|token| token.gateway).collect();
        let mut seen = FxHashSet::default();
        gateways.retain(|gateway| seen.insert(*gateway));
        for gateway in gateways {
            let gateway = definition.process.element(gateway);
            let is_inclusive = matches!(gateway.behavior, Behavior::Inclusive { .. });
            if is_inclusive && is_ready(run, &definition, scope, gateway)? {
                run.joins_to_check.push(scope);
                fire(run, scope, gateway)?;
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Uses up one token of each flow that has any, and lets the gateway begin.
fn fire(run: &mut Run<'_>, scope: ElementInstanceKey, gateway: &Element) -> Stepped {
    let state = run.scope_mut(scope)?;
    let mut used = 0;
    for token in state.waiting.iter_mut().filter(|token| token.gateway == gateway.index) {
        token.count -= 1;
        used += 1;
    }
    state.waiting.retain(|token| token.count > 0);
    settle_tokens(run, scope, used)?;
    begin_activation(run, scope, gateway, None)
}

fn is_ready(
    run: &Run<'_>,
    definition: &Definition,
    scope: ElementInstanceKey,
    gateway: &Element,
) -> Stepped<bool> {
    let state = run.scope(scope)?;
    // One entry per flow: counting them is enough where all must come, however many there are.
    let taken = state.waiting.iter().filter(|token| token.gateway == gateway.index);
    match (taken.clone().count(), &gateway.behavior) {
        (0, _) => Ok(false),
        (all, _) if all == gateway.incoming.len() => Ok(true),
        (_, Behavior::Inclusive { join: Some(join), .. }) => {
            let taken: FxHashSet<FlowIndex> = taken.map(|token| token.flow).collect();
            let open: Vec<FlowIndex> =
                gateway.incoming.iter().filter(|flow| !taken.contains(flow)).copied().collect();
            let arrival = Arrival { run, definition, scope, state, gateway, join, open: &open };
            Ok(!arrival.is_possible()?)
        }
        _ => Ok(false),
    }
}

/// The question whether any other token of a scope can still come over the open flows of an inclusive join.
struct Arrival<'a> {
    run: &'a Run<'a>,
    definition: &'a Definition,
    scope: ElementInstanceKey,
    state: &'a Scope,
    gateway: &'a Element,
    join: &'a InclusiveJoin,
    open: &'a [FlowIndex],
}

impl Arrival<'_> {
    fn is_possible(&self) -> Stepped<bool> {
        let mut travelling = 0;
        for step in &self.run.steps {
            let Step::Activate { scope, element, flow, .. } = step else { continue };
            if *scope != self.scope {
                continue;
            }
            travelling += 1;
            if flow.is_some_and(|flow| self.open.contains(&flow)) || self.comes_from(*element) {
                return Ok(true);
            }
        }
        let waiting: u32 = self.state.waiting.iter().map(|token| token.count).sum();
        // Tokens that an earlier command has postponed: the join is asked again when they have moved.
        let has_postponed = self.state.flows > travelling + waiting;
        let waits_elsewhere =
            |token: &WaitingToken| token.gateway != self.gateway.index && self.comes_from(token.gateway);
        Ok(has_postponed || self.state.waiting.iter().any(waits_elsewhere) || self.is_active_before()?)
    }

    fn comes_from(&self, element: tidemill_model::ElementIndex) -> bool {
        self.open.iter().any(|flow| self.join.can_reach(element, *flow))
    }

    fn is_active_before(&self) -> Stepped<bool> {
        let mut after = None;
        loop {
            let (children, is_last) = self.run.children_after(self.scope, after, CHILDREN_PER_PAGE)?;
            for child in &children {
                let Some(child) = self.run.get::<ElementInstance>(*child) else { continue };
                debug_assert!(self.definition.process.element(child.element).scope.is_some());
                if child.element != self.gateway.index && self.comes_from(child.element) {
                    return Ok(true);
                }
            }
            after = children.last().copied();
            if is_last {
                return Ok(false);
            }
        }
    }
}
