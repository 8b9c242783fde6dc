//! Variable values as raw JSON text: kept as they came, parsed only when an expression reads them.

use crate::Text;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// Nesting beyond this is refused, so that no reader of a value has to fear for its stack.
const DEPTH_MAX: usize = 1000;

/// Up to so many names, comparing them one by one is faster than hashing them.
const FEW_NAMES: usize = 16;

/// One JSON value as compact text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct RawJson(Text);

impl RawJson {
    pub const NULL: RawJson = RawJson(Text::new_static("null"));

    /// For text that is known to be valid and compact JSON: a literal, or what a JSON writer wrote.
    pub fn new(valid_json: impl Into<Text>) -> RawJson {
        RawJson(valid_json.into())
    }

    /// Checks the text and drops white space between its tokens.
    pub fn parse(text: &str) -> Result<RawJson, JsonError> {
        let value: &RawValue = serde_json::from_str(text).map_err(|error| JsonError(error.to_string()))?;
        RawJson::compact(value)
    }

    /// A JSON string with this content.
    pub fn string(content: &str) -> RawJson {
        RawJson(serde_json::to_string(content).expect("a string is always valid JSON").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_null(&self) -> bool {
        self.0 == "null"
    }

    fn compact(value: &RawValue) -> Result<RawJson, JsonError> {
        let text = value.get();
        let (mut in_string, mut escaped, mut depth, mut blanks) = (false, false, 0usize, 0usize);
        for byte in text.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'[' | b'{' => {
                    depth += 1;
                    if depth > DEPTH_MAX {
                        return Err(JsonError(format!("nested deeper than {DEPTH_MAX} levels")));
                    }
                }
                b']' | b'}' => depth -= 1,
                b' ' | b'\t' | b'\n' | b'\r' => blanks += 1,
                _ => {}
            }
        }
        if blanks == 0 {
            return Ok(RawJson(text.into()));
        }
        Ok(RawJson(without_blanks(text, blanks).into()))
    }
}

fn without_blanks(text: &str, blanks: usize) -> String {
    let mut compact = String::with_capacity(text.len() - blanks);
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_string = !in_string,
            ' ' | '\t' | '\n' | '\r' if !in_string => continue,
            _ => {}
        }
        compact.push(c);
    }
    compact
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text that is not the JSON it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// Names and values on their way into a scope, in the order they came, each name once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct Variables(Vec<(Text, RawJson)>);

impl Variables {
    /// Reads one JSON object; of a name given twice, the last value counts.
    pub fn parse(text: &str) -> Result<Variables, JsonError> {
        let members: Members<'_> =
            serde_json::from_str(text).map_err(|error| JsonError(error.to_string()))?;
        let compact = |(name, value)| Ok((Text::from(name), RawJson::compact(value)?));
        let members: Vec<_> = members.0.into_iter().map(compact).collect::<Result<_, JsonError>>()?;
        Ok(members.into_iter().collect())
    }

    /// Of a name given twice, the first value counts: the nearest scope comes first.
    pub fn nearest(members: impl IntoIterator<Item = (Text, RawJson)>) -> Variables {
        distinct(members.into_iter().collect(), |_, _| {})
    }

    pub fn set(&mut self, name: impl Into<Text>, value: RawJson) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }

    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &RawJson)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of all names and values.
    pub fn size_bytes(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.as_str().len()).sum()
    }

    /// As one JSON object.
    pub fn to_json(&self) -> RawJson {
        let mut json = String::with_capacity(self.size_bytes() + self.0.len() * 4 + 2);
        json.push('{');
        for (n, (name, value)) in self.0.iter().enumerate() {
            if n > 0 {
                json.push(',');
            }
            json.push_str(RawJson::string(name).as_str());
            json.push(':');
            json.push_str(value.as_str());
        }
        json.push('}');
        RawJson::new(json)
    }
}

impl<N: Into<Text>> FromIterator<(N, RawJson)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, RawJson)>>(members: I) -> Variables {
        let members = members.into_iter().map(|(name, value)| (name.into(), value)).collect();
        distinct(members, |known, value| *known = value)
    }
}

/// Each name once, where it first stood, in time that grows with their number and no faster.
fn distinct(members: Vec<(Text, RawJson)>, on_twice: impl Fn(&mut RawJson, RawJson)) -> Variables {
    if members.len() <= FEW_NAMES {
        let mut few: Vec<(Text, RawJson)> = Vec::with_capacity(members.len());
        for (name, value) in members {
            match few.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => on_twice(known, value),
                None => few.push((name, value)),
            }
        }
        return Variables(few);
    }
    let mut places: HashMap<Text, usize> = HashMap::with_capacity(members.len());
    let mut many: Vec<(Text, RawJson)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        match places.entry(name) {
            Entry::Occupied(place) => on_twice(&mut many[*place.get()].1, value),
            Entry::Vacant(place) => {
                many.push((place.key().clone(), value));
                place.insert(many.len() - 1);
            }
        }
    }
    Variables(many)
}

/// The members of a JSON object in order, values untouched.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_order_digits_and_escapes() {
        let text = "{ \"b\" : 1.00000000000000000000000000000000000001,\n \"a\": [1, {\"x y\": \"\\u00e9 \\\" \"}] }";
        let variables = Variables::parse(text).expect("valid");
        let json = variables.to_json();
        assert_eq!(
            json.as_str(),
            "{\"b\":1.00000000000000000000000000000000000001,\"a\":[1,{\"x y\":\"\\u00e9 \\\" \"}]}"
        );
    }

    #[test]
    fn a_name_given_twice_counts_once() {
        let variables = Variables::parse(r#"{"a":1,"a":2}"#).expect("valid");
        assert_eq!(variables.to_json().as_str(), r#"{"a":2}"#);
    }

    #[test]
    fn very_many_names_are_read_in_one_go() {
        let names = 200_000;
        let text: Vec<String> = (0..names).map(|n| format!("\"v{n}\":{n}")).collect();
        let text = format!("{{{},\"v7\":\"again\"}}", text.join(","));
        let variables = Variables::parse(&text).expect("valid");
        assert_eq!(variables.len(), names);
        assert_eq!(variables.get("v7").map(RawJson::as_str), Some("\"again\""));
    }

    #[test]
    fn the_nearest_value_of_a_name_counts() {
        for others in [0, 100] {
            let mut members =
                vec![(Text::from("a"), RawJson::new("1")), (Text::from("a"), RawJson::new("2"))];
            members.extend((0..others).map(|n| (Text::from(format!("b{n}")), RawJson::NULL)));
            let variables = Variables::nearest(members);
            assert_eq!(variables.len(), 1 + others);
            assert_eq!(variables.get("a").map(RawJson::as_str), Some("1"));
        }
    }

    #[test]
    fn deep_nesting_and_broken_text_are_refused() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(RawJson::parse(&nested(1000)).is_ok());
        assert!(RawJson::parse(&nested(1001)).is_err());
        assert!(RawJson::parse(&nested(100_000)).is_err());
        assert!(RawJson::parse("{\"a\":}").is_err());
        assert!(Variables::parse("[1]").is_err());
    }
}
