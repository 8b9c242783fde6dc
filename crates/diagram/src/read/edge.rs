//! Reads flows and associations. Their ends stay ids here, because an element may come later in the file than its flow.

use super::tag::{child_text, has_child, name};
use crate::model::EdgeKind;
use roxmltree::Node as Xml;

/// A connection as the file tells it.
pub(super) struct EdgeTag<'a> {
    pub(super) kind: EdgeKind,
    pub(super) source: Option<&'a str>,
    pub(super) target: Option<&'a str>,
}

pub(super) fn edge<'a>(xml: &Xml<'a, '_>) -> Option<EdgeTag<'a>> {
    let (source, target) = (xml.attribute("sourceRef"), xml.attribute("targetRef"));
    let kind = match name(xml) {
        "sequenceFlow" => {
            EdgeKind::Sequence { is_default: false, is_conditional: has_child(xml, "conditionExpression") }
        }
        "messageFlow" => EdgeKind::Message,
        "association" => association(xml),
        "conversationLink" => EdgeKind::Plain,
        "dataInputAssociation" => {
            let (source, target) = (child_text(xml, "sourceRef"), owner(xml));
            return Some(EdgeTag { kind: EdgeKind::Data, source, target });
        }
        "dataOutputAssociation" => {
            let (source, target) = (owner(xml), child_text(xml, "targetRef"));
            return Some(EdgeTag { kind: EdgeKind::Data, source, target });
        }
        _ => return None,
    };
    Some(EdgeTag { kind, source, target })
}

fn association(xml: &Xml<'_, '_>) -> EdgeKind {
    let direction = xml.attribute("associationDirection").unwrap_or("None");
    EdgeKind::Association {
        at_source: direction == "Both",
        at_target: direction == "Both" || direction == "One",
    }
}

/// Data is associated with the activity that the association stands in.
fn owner<'a>(xml: &Xml<'a, '_>) -> Option<&'a str> {
    xml.parent().and_then(|parent| parent.attribute("id"))
}
