//! The search for message subscriptions. It also shows the properties that the model gives to the waiting element for tools and
//! connectors.

use super::call::{Call, Handled};
use super::json::{Date, KeyText, optional_key};
use super::modelled::{self, Modelled, Models};
use super::search;
use serde::{Serialize, Serializer};
use tidemill_bpmn::{Behavior, Catch, Element};
use tidemill_model::{DefinitionKey, Text};
use tidemill_store::query::{MessageSubscriptionField as Field, Query, Results, Search, Value};
use tidemill_store::view::MessageSubscriptionView;

/// Properties of elements that the API shows, under the names that Camunda gives them.
const TOOL_PREFIX: &str = "io.camunda.tool:";
const TOOL_NAME: &str = "io.camunda.tool:name";
const INBOUND_CONNECTOR_TYPE: &str = "inbound.type";

pub(super) async fn search(call: Call) -> Handled {
    let (found, models) = modelled::search::<Field>(&call.gateway, &call.tree()?).await?;
    Ok(search::shown(found, move |item, items| items.push(&shown(item, &models))))
}

impl Modelled for Field {
    const MEMBERS: &'static [&'static str] = &["toolName", "inboundConnectorType"];
    const DEFINITION: Field = Field::DefinitionKey;
    const ELEMENT_ID: Field = Field::ElementId;

    fn fact<'e>(element: &'e Element, member: &str) -> Option<&'e str> {
        property(element, if member == "toolName" { TOOL_NAME } else { INBOUND_CONNECTOR_TYPE })
    }

    fn has_rows(element: &Element) -> bool {
        matches!(element.catch(), Some(Catch::Message(_))) || matches!(element.behavior, Behavior::Receive(_))
    }

    fn definition(view: &MessageSubscriptionView) -> DefinitionKey {
        view.definition
    }

    fn element_id(view: &MessageSubscriptionView) -> &str {
        &view.element_id
    }

    fn row_key(view: &MessageSubscriptionView) -> i64 {
        view.key.0
    }

    fn stored(view: &MessageSubscriptionView, field: &str) -> Value {
        let text = |text: Option<&Text>| Value::Text(text.cloned().unwrap_or_default());
        match field {
            "businessId" => text(view.business_id.as_ref()),
            "processDefinitionId" => text(Some(&view.process_id)),
            "processDefinitionName" => text(view.process_name.as_ref()),
            "processDefinitionVersion" => Value::Int(view.version.into()),
            "processInstanceKey" => Value::Int(view.instance.map_or(0, |key| key.0)),
            "elementId" => text(Some(&view.element_id)),
            "elementInstanceKey" => Value::Int(view.element_instance.map_or(0, |key| key.0)),
            "messageSubscriptionState" => Value::Text(view.state.name().into()),
            "messageSubscriptionType" => Value::Text(view.kind.name().into()),
            "lastUpdatedDate" => Value::Int(view.updated_at.0),
            "messageName" => text(Some(&view.message_name)),
            "correlationKey" => text(view.correlation_key.as_ref()),
            "tenantId" => text(Some(&view.tenant.0)),
            _ => Value::Int(view.key.0),
        }
    }

    async fn find(
        queries: &dyn Query,
        search: &Search<Field>,
    ) -> tidemill_store::Result<Results<MessageSubscriptionView>> {
        queries.message_subscriptions(search).await
    }
}

fn property<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    let named = element.properties.iter().find(|(own, _)| own == name);
    named.map(|(_, value)| value.as_str())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SubscriptionItem<'a> {
    business_id: Option<&'a Text>,
    message_subscription_key: KeyText,
    process_definition_id: &'a str,
    process_definition_key: KeyText,
    process_instance_key: Option<KeyText>,
    root_process_instance_key: Option<KeyText>,
    element_id: &'a str,
    element_instance_key: Option<KeyText>,
    message_subscription_state: &'a str,
    last_updated_date: Date,
    message_name: &'a str,
    correlation_key: Option<&'a Text>,
    message_subscription_type: &'a str,
    tool_properties: Properties<'a>,
    /// A name of clients of 8.9, which insist on it.
    extension_properties: Properties<'a>,
    process_definition_name: Option<&'a Text>,
    process_definition_version: i32,
    tool_name: Option<&'a str>,
    inbound_connector_type: Option<&'a str>,
    tenant_id: &'a str,
}

/// Some of the properties of an element, as one object.
struct Properties<'a> {
    of: Option<&'a Element>,
    is_shown: fn(&str) -> bool,
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.of.map_or(&[][..], |element| &element.properties);
        serializer.collect_map(
            all.iter().filter(|(name, _)| (self.is_shown)(name)).map(|(name, value)| (name, value)),
        )
    }
}

fn shown<'a>(subscription: &'a MessageSubscriptionView, models: &'a Models) -> SubscriptionItem<'a> {
    let element = models.element::<Field>(subscription);
    let of_tools = |name: &str| name.starts_with(TOOL_PREFIX);
    SubscriptionItem {
        business_id: subscription.business_id.as_ref(),
        message_subscription_key: subscription.key.into(),
        process_definition_id: &subscription.process_id,
        process_definition_key: subscription.definition.into(),
        process_instance_key: optional_key(subscription.instance),
        root_process_instance_key: optional_key(subscription.root),
        element_id: &subscription.element_id,
        element_instance_key: optional_key(subscription.element_instance),
        message_subscription_state: subscription.state.name(),
        last_updated_date: Date(subscription.updated_at),
        message_name: &subscription.message_name,
        correlation_key: subscription.correlation_key.as_ref(),
        message_subscription_type: subscription.kind.name(),
        tool_properties: Properties { of: element, is_shown: of_tools },
        extension_properties: Properties {
            of: element,
            is_shown: |name| name.starts_with(TOOL_PREFIX) || name == INBOUND_CONNECTOR_TYPE,
        },
        process_definition_name: subscription.process_name.as_ref(),
        process_definition_version: subscription.version,
        tool_name: element.and_then(|element| property(element, TOOL_NAME)),
        inbound_connector_type: element.and_then(|element| property(element, INBOUND_CONNECTOR_TYPE)),
        tenant_id: subscription.tenant.as_str(),
    }
}
