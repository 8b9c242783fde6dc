//! The query of a page's address: filters and places in lists. They stand in the address so that a search can be shared.

use std::borrow::Cow;
use tidemill_store::query::{Page, PageStart};

/// Rows on one page of a list.
pub(crate) const ROWS: u32 = 50;

/// The parameters of an address, empty ones left out: forms send every field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn read(text: Option<&str>) -> Query {
        let pairs = form_urlencoded::parse(text.unwrap_or_default().as_bytes());
        Query(pairs.filter(|(_, value)| !value.trim().is_empty()).map(owned).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
    }

    /// The page of a list that is asked for.
    pub(crate) fn page(&self) -> Page {
        let start = match (self.get("after"), self.get("before")) {
            (Some(cursor), _) => PageStart::After(cursor.to_owned()),
            (None, Some(cursor)) => PageStart::Before(cursor.to_owned()),
            (None, None) => PageStart::Offset(0),
        };
        Page { limit: ROWS, start }
    }

    /// The same search at another place in its list.
    pub(crate) fn at(&self, path: &str, name: &str, cursor: &str) -> String {
        let others = self.0.iter().filter(|(known, _)| known != "after" && known != "before");
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(others.map(|(name, value)| (name, value))).append_pair(name, cursor);
        format!("{path}?{}", text.finish())
    }
}

fn owned((name, value): (Cow<'_, str>, Cow<'_, str>)) -> (String, String) {
    (name.into_owned(), value.into_owned())
}

/// An address with one parameter.
pub(crate) fn link(path: &str, name: &str, value: &str) -> String {
    format!("{path}?{}", form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_of_forms_do_not_filter() {
        let query = Query::read(Some("state=&process=order+1&value=%3Cscript%3E"));
        assert_eq!(query.get("state"), None);
        assert_eq!(query.get("process"), Some("order 1"));
        assert_eq!(query.get("value"), Some("<script>"));
    }

    #[test]
    fn the_next_page_keeps_the_filter() {
        let query = Query::read(Some("process=a%26b&after=old"));
        assert_eq!(query.at("/ui/instances", "after", "x=y"), "/ui/instances?process=a%26b&after=x%3Dy");
        assert_eq!(query.page().start, PageStart::After("old".to_owned()));
    }
}
