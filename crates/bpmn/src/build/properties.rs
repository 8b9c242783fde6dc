//! Properties of elements (`zeebe:properties`): facts for tools and connectors, which the API shows and nothing acts on.

use super::Builder;
use crate::xml::Tag;
use tidemill_model::Text;

impl<'a> Builder<'a, '_, '_> {
    /// Those with a name and a value. Of two with one name the last counts; of several holders none does, as in Camunda.
    pub(super) fn properties(&mut self, element: Tag<'a>) -> Vec<(Text, Text)> {
        let mut holders = element.extensions("properties");
        let (Some(holder), None) = (holders.next(), holders.next()) else { return Vec::new() };
        let mut properties: Vec<(Text, Text)> = Vec::new();
        for property in holder.zeebe_children("property") {
            let given =
                |attribute| property.attribute(attribute).filter(|text: &&str| !text.trim().is_empty());
            let (Some(name), Some(value)) = (given("name"), given("value")) else { continue };
            properties.retain(|(other, _)| other != name);
            properties.push((name.into(), value.into()));
        }
        properties
    }
}
