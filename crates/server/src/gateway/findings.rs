//! Broken rules of one request, gathered so that the client learns of all of them at once.

use super::problem::Problem;
use tidemill_model::{TenantId, Text, Timestamp};

/// Ids, names and keys may not be longer than this.
const TEXT_CHARS_MAX: usize = 256;
/// A store could not index longer ones.
const TEXT_BYTES_MAX: usize = 512;

#[derive(Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    /// A value that must be there.
    pub(crate) fn required<T: Default>(&mut self, field: &str, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.add(format!("No {field} provided"));
            T::default()
        })
    }

    /// A text that must be there and not blank.
    pub(crate) fn required_text(&mut self, field: &str, value: Option<String>) -> Text {
        let value = value.filter(|text| !text.trim().is_empty());
        let value = self.required(field, value);
        self.text(field, value)
    }

    pub(crate) fn optional_text(&mut self, field: &str, value: Option<String>) -> Option<Text> {
        value.filter(|text| !text.is_empty()).map(|text| self.text(field, text))
    }

    /// A text that a store can keep and index.
    pub(crate) fn text(&mut self, field: &str, value: String) -> Text {
        self.no_nul(field, &value);
        if value.chars().nth(TEXT_CHARS_MAX).is_some() {
            self.add(format!("The provided {field} exceeds the limit of {TEXT_CHARS_MAX} characters"));
        } else if value.len() > TEXT_BYTES_MAX {
            self.add(format!("The provided {field} exceeds the limit of {TEXT_BYTES_MAX} bytes"));
        }
        value.into()
    }

    pub(crate) fn no_nul(&mut self, field: &str, value: &str) {
        if value.contains('\0') {
            self.add(format!("The provided {field} contains a NUL character"));
        }
    }

    pub(crate) fn texts(&mut self, field: &str, values: Option<Vec<String>>) -> Vec<Text> {
        values.unwrap_or_default().into_iter().map(|value| self.text(field, value)).collect()
    }

    pub(crate) fn key(&mut self, field: &str, value: &str) -> i64 {
        value.parse().unwrap_or_else(|_| {
            self.add(format!(
                "The provided {field} '{value}' is not a valid key. Expected a numeric value. \
                 Did you pass an entity id instead of an entity key?"
            ));
            0
        })
    }

    /// None for a text that is no date.
    pub(crate) fn required_date(&mut self, field: &str, value: &str) -> Option<Timestamp> {
        let date = super::json::parse_date(value);
        if date.is_none() {
            self.add(format!(
                "The provided {field} '{value}' cannot be parsed as a date according to RFC 3339, section 5.6"
            ));
        }
        date
    }

    /// The empty text stands for no date.
    pub(crate) fn optional_date(&mut self, field: &str, value: &str) -> Option<Timestamp> {
        if value.is_empty() { None } else { self.required_date(field, value) }
    }

    /// A number that obeys `rule`.
    pub(crate) fn number<N: std::fmt::Display + Copy>(
        &mut self,
        field: &str,
        value: N,
        holds: impl Fn(N) -> bool,
        rule: &str,
    ) -> N {
        if !holds(value) {
            self.add(format!("The value for {field} is '{value}' but must be {rule}"));
        }
        value
    }

    pub(crate) fn operation_reference(&mut self, value: Option<i64>) {
        if let Some(value) = value {
            self.number("operationReference", value, |n| n >= 1, "> 0");
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(self) -> Result<(), Problem> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut detail = self.0.join(". ");
        if !detail.ends_with('.') {
            detail.push('.');
        }
        Err(Problem::invalid_argument(detail))
    }
}

/// The tenants of a request while tenants are off: all of them the default one, or all blank.
pub(crate) fn default_tenants(request: &str, tenants: &[String]) -> Result<(), Problem> {
    if let [tenant] = tenants {
        return default_tenant(request, Some(tenant)).map(|_| ());
    }
    let is_blank = tenants.iter().all(|tenant| tenant.trim().is_empty());
    if is_blank || tenants.iter().all(|tenant| tenant == TenantId::DEFAULT) {
        return Ok(());
    }
    Err(Problem::invalid_argument(format!(
        "Expected to handle request {request} with tenant identifiers [{}], but multi-tenancy is disabled",
        tenants.join(", ")
    )))
}

/// The tenant of a request while tenants are off: nothing but the default one.
pub(crate) fn default_tenant(request: &str, tenant: Option<&str>) -> Result<TenantId, Problem> {
    match tenant {
        None | Some(TenantId::DEFAULT) => Ok(TenantId::default()),
        Some(blank) if blank.trim().is_empty() => Ok(TenantId::default()),
        Some(other) => Err(Problem::invalid_argument(format!(
            "Expected to handle request {request} with tenant identifier '{other}', \
             but multi-tenancy is disabled"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_findings_stand_in_one_detail() {
        let mut findings = Findings::default();
        findings.required_text("type", Some("  ".to_owned()));
        findings.required::<i64>("timeout", None);
        findings.number("maxJobsToActivate", 0, |n| n >= 1, "greater than 0");
        findings.key("processDefinitionKey", "abc");
        let expected = Problem::invalid_argument(
            "No type provided. No timeout provided. \
             The value for maxJobsToActivate is '0' but must be greater than 0. \
             The provided processDefinitionKey 'abc' is not a valid key. Expected a numeric value. \
             Did you pass an entity id instead of an entity key?.",
        );
        assert_eq!(findings.finish(), Err(expected));
    }

    #[test]
    fn only_the_default_tenant_is_known() {
        for tenant in [None, Some(""), Some(" "), Some("<default>")] {
            assert_eq!(default_tenant("Publish Message", tenant), Ok(TenantId::default()));
        }
        assert_eq!(
            default_tenant("Publish Message", Some("acme")),
            Err(Problem::invalid_argument(
                "Expected to handle request Publish Message with tenant identifier 'acme', \
                 but multi-tenancy is disabled"
            ))
        );
    }
}
