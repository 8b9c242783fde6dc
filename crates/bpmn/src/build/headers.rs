//! Custom headers of jobs and user tasks, as the JSON object that workers get.

use super::Builder;
use crate::xml::Tag;
use std::collections::HashSet;
use tidemill_model::RawJson;

/// Bytes of all headers of one element, as JSON. Every job of the element carries them.
const HEADERS_BYTES_MAX: usize = 256 * 1024;
const RESERVED_PREFIX: &str = "io.camunda.zeebe:";

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn headers(&mut self, element: Tag<'a>) -> Option<RawJson> {
        let holder = self.single_extension(element, "taskHeaders")?;
        let mut keys = HashSet::new();
        let mut headers = Vec::new();
        for header in holder.zeebe_children("header") {
            // One without a key or a value is no header, as in Camunda.
            let (Some(key), Some(value)) = (header.attribute("key"), header.attribute("value")) else {
                continue;
            };
            if key.starts_with(RESERVED_PREFIX) {
                let reason = format!(
                    "Attribute 'key' contains '{key}', but header keys starting with '{RESERVED_PREFIX}' are reserved for internal use."
                );
                self.report.refuse(header, reason);
            }
            if !keys.insert(key) {
                self.report.refuse(header, format!("Headers contain duplicate entries for key '{key}'"));
            }
            headers.push(format!("{}:{}", RawJson::string(key), RawJson::string(value)));
        }
        let bytes: usize = headers.iter().map(String::len).sum();
        if bytes > HEADERS_BYTES_MAX {
            let reason = format!(
                "Expected task headers of at most {HEADERS_BYTES_MAX} bytes together, but they have {bytes}. Every job \
                 carries them: pass large values as variables"
            );
            self.report.refuse(holder, reason);
        }
        (!headers.is_empty()).then(|| RawJson::new(format!("{{{}}}", headers.join(","))))
    }
}
