//! Functions about how points and ranges lie to each other (Allen's interval algebra), and `range`.

use super::{Builtin, Call, CallResult, Signature, builtin, fixed};
use crate::value::{Bound, Relation, Value};
use std::cmp::Ordering::{self, Equal, Greater, Less};

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("before", ANY, |call| relate(call, before)),
    builtin("after", ANY, |call| relate(call, |left, right| before(right, left))),
    builtin("meets", RANGES, |call| relate_ranges(call, meets)),
    builtin("met by", RANGES, |call| relate_ranges(call, |left, right| meets(right, left))),
    builtin("overlaps", RANGES, |call| relate_ranges(call, overlaps)),
    builtin("overlaps before", RANGES, |call| relate_ranges(call, overlaps_before)),
    builtin("overlaps after", RANGES, |call| relate_ranges(call, |left, right| overlaps_before(right, left))),
    builtin("finishes", POINT_FIRST, |call| relate(call, finishes)),
    builtin("finished by", RANGE_FIRST, |call| relate(call, |left, right| finishes(right, left))),
    builtin("includes", RANGE_FIRST, |call| relate(call, |left, right| during(right, left))),
    builtin("during", POINT_FIRST, |call| relate(call, during)),
    builtin("starts", POINT_FIRST, |call| relate(call, starts)),
    builtin("started by", RANGE_FIRST, |call| relate(call, |left, right| starts(right, left))),
    builtin("coincides", SAME, |call| relate(call, coincides)),
];

const RANGES: &[Signature] = &[fixed(&["range1", "range2"])];
const SAME: &[Signature] = &[fixed(&["point1", "point2"]), fixed(&["range1", "range2"])];
const POINT_FIRST: &[Signature] = &[fixed(&["point", "range"]), fixed(&["range1", "range2"])];
const RANGE_FIRST: &[Signature] =
    &[fixed(&["range", "point"]), fixed(&["range1", "range2"]), fixed(&["point", "range"])];
const ANY: &[Signature] = &[
    fixed(&["point1", "point2"]),
    fixed(&["point", "range"]),
    fixed(&["range", "point"]),
    fixed(&["range1", "range2"]),
];

/// A point is the range from itself to itself.
#[derive(Clone, Copy)]
struct Interval<'a> {
    start: Edge<'a>,
    end: Edge<'a>,
    is_point: bool,
}

#[derive(Clone, Copy)]
struct Edge<'a> {
    /// None: without an end.
    value: Option<&'a Value>,
    closed: bool,
}

impl<'a> Interval<'a> {
    fn of(value: &'a Value) -> Option<Interval<'a>> {
        let edge = |bound: &'a Bound| Edge { value: bound.value(), closed: bound.is_closed() };
        match value {
            Value::Range(range) => {
                Some(Interval { start: edge(&range.start), end: edge(&range.end), is_point: false })
            }
            point if Relation::order(point, point).is_some() => {
                let edge = Edge { value: Some(point), closed: true };
                Some(Interval { start: edge, end: edge, is_point: true })
            }
            _ => None,
        }
    }
}

/// The answer, or none where the ends cannot be compared.
type Answer = Option<bool>;

/// How the start of one interval lies to the start of another; a missing start comes before all.
fn start_order(left: Edge<'_>, right: Edge<'_>) -> Option<Ordering> {
    match (left.value, right.value) {
        (Some(left), Some(right)) => Relation::order(left, right),
        (left, right) => Some(left.is_some().cmp(&right.is_some())),
    }
}

/// How the end of one interval lies to the end of another; a missing end comes after all.
fn end_order(left: Edge<'_>, right: Edge<'_>) -> Option<Ordering> {
    match (left.value, right.value) {
        (Some(left), Some(right)) => Relation::order(left, right),
        (left, right) => Some(left.is_none().cmp(&right.is_none())),
    }
}

/// How the end of one interval lies to the start of another; if either is missing, it is beyond.
fn end_to_start(end: Edge<'_>, start: Edge<'_>) -> Option<Ordering> {
    match (end.value, start.value) {
        (Some(end), Some(start)) => Relation::order(end, start),
        _ => Some(Greater),
    }
}

fn before(left: Interval<'_>, right: Interval<'_>) -> Answer {
    Some(match end_to_start(left.end, right.start)? {
        Less => true,
        Equal => !left.end.closed || !right.start.closed,
        Greater => false,
    })
}

fn meets(left: Interval<'_>, right: Interval<'_>) -> Answer {
    Some(end_to_start(left.end, right.start)? == Equal && left.end.closed && right.start.closed)
}

fn overlaps(left: Interval<'_>, right: Interval<'_>) -> Answer {
    Some(!before(left, right)? && !before(right, left)?)
}

fn overlaps_before(left: Interval<'_>, right: Interval<'_>) -> Answer {
    let starts_first = match start_order(left.start, right.start)? {
        Less => true,
        Equal => left.start.closed && !right.start.closed,
        Greater => false,
    };
    Some(starts_first && !before(left, right)? && ends_within(left.end, right.end)?)
}

fn ends_within(inner: Edge<'_>, outer: Edge<'_>) -> Answer {
    Some(match end_order(inner, outer)? {
        Less => true,
        Equal => !inner.closed || outer.closed,
        Greater => false,
    })
}

fn starts_within(inner: Edge<'_>, outer: Edge<'_>) -> Answer {
    Some(match start_order(inner, outer)? {
        Greater => true,
        Equal => !inner.closed || outer.closed,
        Less => false,
    })
}

fn same_edge(left: Edge<'_>, right: Edge<'_>, order: Option<Ordering>) -> Answer {
    Some(order? == Equal && left.closed == right.closed)
}

fn finishes(left: Interval<'_>, right: Interval<'_>) -> Answer {
    let same_end = same_edge(left.end, right.end, end_order(left.end, right.end))?;
    Some(same_end && (left.is_point || starts_within(left.start, right.start)?))
}

fn starts(left: Interval<'_>, right: Interval<'_>) -> Answer {
    let same_start = same_edge(left.start, right.start, start_order(left.start, right.start))?;
    Some(same_start && (left.is_point || ends_within(left.end, right.end)?))
}

fn during(left: Interval<'_>, right: Interval<'_>) -> Answer {
    Some(starts_within(left.start, right.start)? && ends_within(left.end, right.end)?)
}

fn coincides(left: Interval<'_>, right: Interval<'_>) -> Answer {
    let same_start = same_edge(left.start, right.start, start_order(left.start, right.start))?;
    Some(same_start && same_edge(left.end, right.end, end_order(left.end, right.end))?)
}

fn relate(call: &mut Call<'_, '_>, answer: fn(Interval<'_>, Interval<'_>) -> Answer) -> CallResult {
    let (left, right) = (Interval::of(call.single(0)), Interval::of(call.single(1)));
    match left.zip(right).and_then(|(left, right)| answer(left, right)) {
        Some(answer) => Ok(answer.into()),
        None => call.refuse("points or ranges of one type"),
    }
}

fn relate_ranges(call: &mut Call<'_, '_>, answer: fn(Interval<'_>, Interval<'_>) -> Answer) -> CallResult {
    match (call.single(0), call.single(1)) {
        (Value::Range(_), Value::Range(_)) => relate(call, answer),
        _ => call.refuse("two ranges"),
    }
}
