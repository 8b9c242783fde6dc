//! The query of a request, decoded.

use crate::gateway::problem::Problem;
use axum::http::Uri;

pub(super) struct QueryWords(Vec<(String, String)>);

impl QueryWords {
    pub(super) fn of(uri: &Uri) -> Result<QueryWords, Problem> {
        let mut words = Vec::new();
        for pair in uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |text: &str| {
                decode(text)
                    .ok_or_else(|| Problem::bad_request(format!("Failed to decode the query: '{pair}'")))
            };
            words.push((decoded(name)?, decoded(value)?));
        }
        Ok(QueryWords(words))
    }

    /// The last value of a name, as later parameters override earlier ones.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn limit(&self, usual: usize, most: usize) -> Result<usize, Problem> {
        let Some(text) = self.get("limit") else { return Ok(usual) };
        text.parse().ok().filter(|limit| (1..=most).contains(limit)).ok_or_else(|| {
            Problem::bad_request(format!("Expected a limit from 1 to {most}, but it is '{text}'"))
        })
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (high << 4 | low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_decoded_and_the_last_one_counts() {
        let uri: Uri = "/v1/timers/x?namespace=a&namespace=b%20%C3%BC+c&limit=7".parse().expect("a uri");
        let words = QueryWords::of(&uri).unwrap_or_else(|_| panic!("it can be decoded"));
        assert_eq!(words.get("namespace"), Some("b ü c"));
        assert_eq!(words.get("other"), None);
        assert!(words.limit(100, 1_000).is_ok_and(|limit| limit == 7));
        assert!(words.limit(100, 5).is_err());
        let broken: Uri = "/v1/timers/x?namespace=%f".parse().expect("a uri");
        assert!(QueryWords::of(&broken).is_err());
    }
}
