//! The members of every answer against those that clients expect (`answers.txt`: `*` always there, `?` may be null).

use super::super::{Answer, Api, Content, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Answers differ here on purpose.
const OURS: [&str; 4] = [
    // Two names of one token, each for the clients of another version, and left out where there is none.
    "activateJobs jobs[].jobLeaseToken",
    "activateJobs jobs[].leaseToken",
    // Members beyond the shapes of Camunda: what has no effect, and a name that clients of 8.9 insist on.
    "createDeployment warnings",
    "searchMessageSubscriptions items[].extensionProperties",
];

#[test]
fn answers_have_the_members_that_clients_expect_and_no_others() {
    let expected = expected();
    let mut seen = 0;
    for operation in &Api::get().operations {
        let Some(Answer { content, .. }) = operation.answers.iter().find(|answer| answer.status < 300) else {
            continue;
        };
        let Some(expected) = expected.get(operation.id) else { continue };
        let mut ours = BTreeSet::new();
        match content {
            Content::Json(shape) => collect(shape, "", &mut ours),
            Content::Page(item) => {
                ours.extend(PAGE.map(str::to_owned));
                collect(item, "items[]", &mut ours);
            }
            Content::Empty | Content::Other(_) => {}
        }
        let is_ours = |member: &str| {
            let path = format!("{} {}", operation.id, member.trim_end_matches(['*', '?']));
            OURS.iter().any(|ours| path == *ours || path.starts_with(&format!("{ours}[]")))
        };
        // Members of members are compared where the list goes so deep.
        let is_deeper = |member: &str| {
            let (parent, _) = member.rsplit_once('.').unwrap_or_default();
            let parent = format!("{}.", parent.trim_end_matches("[]"));
            !parent.starts_with('.')
                && !expected
                    .iter()
                    .any(|other| other.replace("[]", "").starts_with(&parent.replace("[]", "")))
        };
        let missing: Vec<_> = expected.difference(&ours).filter(|member| !is_ours(member)).collect();
        let extra: Vec<_> =
            ours.difference(expected).filter(|member| !is_ours(member) && !is_deeper(member)).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{}: missing {missing:?}, extra {extra:?}",
            operation.id
        );
        seen += 1;
    }
    assert_eq!(seen, expected.len(), "every operation of the list is offered");
}

const PAGE: [&str; 6] = [
    "page*",
    "page.totalItems*",
    "page.hasMoreTotalItems*",
    "page.startCursor*?",
    "page.endCursor*?",
    "items*",
];

fn expected() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut expected: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in include_str!("answers.txt").lines() {
        let (operation, member) = line.split_once(' ').expect("an operation and a member");
        expected.entry(operation).or_default().insert(member.to_owned());
    }
    expected
}

fn collect(shape: &Type, path: &str, members: &mut BTreeSet<String>) {
    match shape {
        Type::List(item) => collect(item, &format!("{path}[]"), members),
        Type::Named(name) if Api::get().words(shape).is_none() => {
            for field in Api::get().object(name) {
                let own =
                    if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
                let required = if field.is_required { "*" } else { "" };
                let nullable = if field.is_nullable { "?" } else { "" };
                members.insert(format!("{own}{required}{nullable}"));
                collect(&field.shape, &own, members);
            }
        }
        _ => {}
    }
}
