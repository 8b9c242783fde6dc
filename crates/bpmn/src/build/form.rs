//! Links to forms, and which version of a resource is meant.

use super::Builder;
use crate::executable::{Binding, FormLink};
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    /// Native user tasks know forms by id or outside; everything else by id or by key.
    pub(super) fn form(&mut self, tag: Tag<'a>, is_native: bool) -> Option<FormLink> {
        let other = if is_native { "externalReference" } else { "formKey" };
        let written = |attribute: &str| tag.attribute(attribute).filter(|value| !value.trim().is_empty());
        match (written("formId"), written(other)) {
            (Some(form_id), None) => {
                let form_id = self.source(tag, form_id);
                Some(FormLink::Deployed { binding: self.binding(tag)?, form_id: form_id? })
            }
            (None, Some(reference)) if is_native => {
                self.source(tag, reference).map(|reference| FormLink::External { reference })
            }
            (None, Some(key)) => Some(FormLink::Key(key.into())),
            _ => {
                let whose = if is_native { " for native user tasks" } else { "" };
                let reason = format!(
                    "Exactly one of the attributes 'formId, {other}' must be present and not blank{whose}"
                );
                self.report.refuse(tag, reason);
                None
            }
        }
    }

    pub(super) fn binding(&mut self, tag: Tag<'a>) -> Option<Binding> {
        let kind = tag.attribute("bindingType").unwrap_or("latest");
        let version_tag = tag.attribute("versionTag").filter(|value| !value.trim().is_empty());
        if kind != "versionTag" && version_tag.is_some() {
            self.report
                .refuse(tag, "Attribute 'versionTag' may only be used if 'bindingType' is 'versionTag'");
        }
        match (kind, version_tag) {
            ("latest", _) => Some(Binding::Latest),
            ("deployment", _) => Some(Binding::Deployment),
            ("versionTag", Some(version_tag)) => Some(Binding::VersionTag(version_tag.into())),
            ("versionTag", None) => {
                let reason =
                    "Attribute 'versionTag' must be present and not empty if 'bindingType' is 'versionTag'";
                self.report.refuse(tag, reason);
                None
            }
            _ => {
                let reason = "Attribute 'bindingType' must be one of: deployment, latest, versionTag";
                self.report.refuse(tag, reason);
                None
            }
        }
    }
}
