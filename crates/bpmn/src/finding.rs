//! A finding is a reason why a model cannot run, with its place and a remedy.

use std::fmt;
use tidemill_model::Text;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The element's id; its tag name where it has none.
    pub element_id: Text,
    pub element_name: Option<Text>,
    /// From the nearest element with an id down to the place: `pay > extensionElements > taskDefinition`.
    pub path: Box<str>,
    pub line: u32,
    pub column: u32,
    pub reason: String,
    pub remedy: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}: {}", self.line, self.column, self.element_id, self.reason)?;
        match &self.remedy {
            Some(remedy) => write!(f, " ({remedy})"),
            None => Ok(()),
        }
    }
}

/// All findings of one file, in document order.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Findings(pub Vec<Finding>);
