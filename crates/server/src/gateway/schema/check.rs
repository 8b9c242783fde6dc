//! Finds what is wrong with a request body that could not be read, and says it in the words that clients know.
//! Good requests of commands never come here. Words of enums are taken in any casing and spelled as described.

use super::{Api, Field, PageKind, Request, Search, Type};
use serde_json::Value;

/// The first thing in a body that does not fit its description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Misfit {
    pub(crate) detail: String,
    /// Where in the body, as a JSON path.
    pub(crate) path: String,
    /// The known name that looks most like the unknown one.
    pub(crate) did_you_mean: Option<String>,
}

type Checked = Result<(), Misfit>;

/// Members and indexes from the top of the body down.
#[derive(Clone, Copy)]
struct BodyPath<'a> {
    above: Option<&'a BodyPath<'a>>,
    step: PathSegment<'a>,
}

#[derive(Clone, Copy)]
enum PathSegment<'a> {
    Top,
    Member(&'a str),
    Item(usize),
}

impl<'a> BodyPath<'a> {
    const TOP: BodyPath<'static> = BodyPath { above: None, step: PathSegment::Top };

    fn member(&'a self, name: &'a str) -> BodyPath<'a> {
        BodyPath { above: Some(self), step: PathSegment::Member(name) }
    }

    fn item(&'a self, index: usize) -> BodyPath<'a> {
        BodyPath { above: Some(self), step: PathSegment::Item(index) }
    }

    fn json_path(&self) -> String {
        let above = self.above.map(BodyPath::json_path).unwrap_or_default();
        match self.step {
            PathSegment::Top => "$".to_owned(),
            PathSegment::Member(name) => format!("{above}.{name}"),
            PathSegment::Item(index) => format!("{above}[{index}]"),
        }
    }

    /// Member names only, the way clients know it.
    fn dotted(&self) -> String {
        let above = self.above.map(BodyPath::dotted).unwrap_or_default();
        match self.step {
            PathSegment::Member(name) if above.is_empty() => name.to_owned(),
            PathSegment::Member(name) => format!("{above}.{name}"),
            _ => above,
        }
    }

    /// The innermost member, operators included; items of lists have no name.
    fn field(&self) -> &str {
        match self.step {
            PathSegment::Member(name) => name,
            _ => "null",
        }
    }

    fn unreadable(&self) -> Misfit {
        Misfit {
            detail: format!("Request property [{}] cannot be parsed", self.dotted()),
            path: self.json_path(),
            did_you_mean: None,
        }
    }
}

/// Finds the first fault that keeps a body from being read, if there is one.
pub(crate) fn misfit(api: &Api, request: &Request, body: &mut Value) -> Option<Misfit> {
    match request {
        Request::Body { shape, .. } => value(api, shape, body, &BodyPath::TOP).err(),
        Request::Search(description) => search(api, description, body).err(),
        Request::None | Request::Multipart => None,
    }
}

/// The same for a value by itself.
pub(super) fn value_misfit(api: &Api, shape: &Type, given: &Value) -> Option<Misfit> {
    let mut spelled = given.clone();
    let misfit = value(api, shape, &mut spelled, &BodyPath::TOP).err();
    misfit.or_else(|| (spelled != *given).then(|| BodyPath::TOP.unreadable()))
}

fn search(api: &Api, description: &Search, body: &mut Value) -> Checked {
    let top = &BodyPath::TOP;
    let Value::Object(members) = body else {
        return if body.is_null() { Ok(()) } else { Err(top.unreadable()) };
    };
    for (name, member) in members {
        let place = top.member(name);
        match (name.as_str(), &mut *member) {
            ("filter" | "sort" | "page", Value::Null) => {}
            ("filter", _) if description.filter.is_some() => {
                object(api, description.filter.unwrap_or_default(), member, &place)?;
            }
            ("sort", _) if !description.sort.is_empty() => sort(&description.sort, member, &place)?,
            ("page", _) => page(description.page, member, &place)?,
            _ => return Err(unknown(&place, name, ["filter", "sort", "page"])),
        }
    }
    Ok(())
}

fn sort(fields: &[&'static str], list: &mut Value, place: &BodyPath<'_>) -> Checked {
    let Value::Array(criteria) = list else { return Err(place.unreadable()) };
    for (index, criterion) in criteria.iter_mut().enumerate() {
        let place = place.item(index);
        let Value::Object(members) = criterion else { return Err(place.unreadable()) };
        for (name, member) in members {
            let place = place.member(name);
            match name.as_str() {
                "field" => word(fields, member, &place)?,
                "order" => word(&["ASC", "DESC"], member, &place)?,
                _ => return Err(unknown(&place, name, ["field", "order"])),
            }
        }
    }
    Ok(())
}

fn page(kind: PageKind, page: &Value, place: &BodyPath<'_>) -> Checked {
    let Value::Object(members) = page else { return Err(place.unreadable()) };
    for (name, member) in members {
        let place = place.member(name);
        let fits = match name.as_str() {
            known if !kind.members().contains(&known) => {
                return Err(unknown(&place, name, kind.members().iter().copied()));
            }
            _ if member.is_null() => true,
            "from" | "limit" => member.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            _ => member.is_string(),
        };
        if !fits {
            return Err(place.unreadable());
        }
    }
    if kind != PageKind::Full {
        return Ok(());
    }
    let given = |name: &str| members.get(name).is_some_and(|member| !member.is_null());
    let starts = ["from", "after", "before"].into_iter().filter(|name| given(name)).count();
    let finding = match starts {
        0 if !given("limit") => format!("At least one of [{}] is required.", kind.members().join(", ")),
        0 | 1 => return Ok(()),
        _ => "Only one of [from, after, before] is allowed.".to_owned(),
    };
    Err(Misfit { detail: finding, path: place.json_path(), did_you_mean: None })
}

fn value(api: &Api, shape: &Type, given: &mut Value, place: &BodyPath<'_>) -> Checked {
    if given.is_null() {
        return Ok(());
    }
    let fits = match shape {
        Type::Any => true,
        Type::String | Type::Key | Type::DateTime => given.is_string(),
        Type::Boolean => given.is_boolean(),
        Type::Int64 => given.is_i64(),
        Type::Int32 => given.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
        Type::Map => given.is_object(),
        Type::List(item) => return list(given, place, |member, place| value(api, item, member, place)),
        Type::Enum(words) => return word(words, given, place),
        Type::Named(name) => {
            return match api.words(shape) {
                Some(words) => word(words, given, place),
                None => object(api, name, given, place),
            };
        }
        Type::Filter(base) => return filter(api, base, given, place),
        Type::Or => false,
    };
    if fits { Ok(()) } else { Err(place.unreadable()) }
}

fn list(
    given: &mut Value,
    place: &BodyPath<'_>,
    each: impl Fn(&mut Value, &BodyPath<'_>) -> Checked,
) -> Checked {
    let Value::Array(items) = given else { return Err(place.unreadable()) };
    items.iter_mut().enumerate().try_for_each(|(index, item)| each(item, &place.item(index)))
}

fn object(api: &Api, name: &str, given: &mut Value, place: &BodyPath<'_>) -> Checked {
    let fields = api.object(name);
    members(api, fields, given, place, true)
}

fn members(api: &Api, fields: &[Field], given: &mut Value, place: &BodyPath<'_>, allows_or: bool) -> Checked {
    let Value::Object(members_given) = given else { return Err(place.unreadable()) };
    for (member_name, member) in members_given {
        let place = place.member(member_name);
        let field = fields.iter().find(|field| field.name == member_name);
        match field {
            Some(Field { shape: Type::Or, .. }) if allows_or && !member.is_null() => {
                list(member, &place, |item, place| members(api, fields, item, place, false))?;
            }
            Some(field) => value(api, &field.shape, member, &place)?,
            None => return Err(unknown(&place, member_name, fields.iter().map(|field| field.name))),
        }
    }
    Ok(())
}

fn filter(api: &Api, base: &Type, given: &mut Value, place: &BodyPath<'_>) -> Checked {
    let Value::Object(operators) = given else { return value(api, base, given, place) };
    for (operator, operand) in operators {
        let place = place.member(operator);
        let is_text = matches!(base, Type::String) || api.words(base).is_some();
        let is_ordered = matches!(base, Type::Int32 | Type::Int64 | Type::DateTime);
        match operator.as_str() {
            "$eq" | "$neq" => value(api, base, operand, &place)?,
            "$gt" | "$gte" | "$lt" | "$lte" if is_ordered => value(api, base, operand, &place)?,
            "$in" | "$notIn" if !operand.is_null() => {
                list(operand, &place, |item, place| value(api, base, item, place))?;
            }
            "$in" | "$notIn" => {}
            "$exists" => value(api, &Type::Boolean, operand, &place)?,
            "$like" if is_text => value(api, &Type::String, operand, &place)?,
            _ => {
                let known =
                    ["$eq", "$neq", "$exists", "$in", "$notIn", "$like", "$gt", "$gte", "$lt", "$lte"];
                return Err(unknown(&place, operator, known));
            }
        }
    }
    Ok(())
}

fn word(words: &[&'static str], given: &mut Value, place: &BodyPath<'_>) -> Checked {
    let text = match given {
        Value::Null => return Ok(()),
        Value::String(text) => text,
        _ => return Err(place.unreadable()),
    };
    if let Some(known) = words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
        if *known != text {
            *text = (*known).to_owned();
        }
        return Ok(());
    }
    Err(Misfit {
        detail: format!(
            "Unexpected value '{text}' for enum field '{}'. Use any of the following values: [{}]",
            place.field(),
            words.join(", ")
        ),
        path: place.json_path(),
        did_you_mean: nearest(text, words.iter().copied()),
    })
}

fn unknown<'a>(place: &BodyPath<'_>, name: &str, known: impl IntoIterator<Item = &'a str>) -> Misfit {
    Misfit { did_you_mean: nearest(name, known), ..place.unreadable() }
}

/// Nobody has mistyped a longer word, and comparing takes time for each of its letters.
const MISTYPED_BYTES_MAX: usize = 100;

/// The known word that a typing mistake would most likely have started from.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > MISTYPED_BYTES_MAX {
        return None;
    }
    let (lower, limit) = (word.to_lowercase(), word.chars().count().div_ceil(3).max(1));
    known
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
