//! Deployed things.

use super::put;
use crate::{Place, Session};
use std::sync::Arc;
use tidemill_model::entity::{
    DefinitionState, Form, ProcessDefinition, ProcessXml, StartEventKind, Timer, TimerPurpose,
};
use tidemill_model::{DefinitionKey, ElementIndex, Need, ResourceKey, TenantId, Timestamp};
use tidemill_store::Lookup;

pub async fn versions_are_found_in_every_way(place: &dyn Place) {
    let session = Session::open(place).await;
    let tagged = |version, tag: &str| Form {
        version_tag: Some(tag.into()),
        deployment: session.make.key(),
        ..session.make.form("f", version)
    };
    let versions = [tagged(1, "old"), tagged(2, "new"), tagged(3, "new")];
    let other_tenant = Form { tenant: TenantId("t".into()), ..session.make.form("f", 7) };
    session.commit(versions.iter().chain([&other_tenant]).map(put).collect()).await;
    let tenant = TenantId::default();
    let find = async |lookup: Lookup| {
        let found = session.store.find_form(&tenant, "f", &lookup).await.expect("finds");
        found.map(|form| form.version)
    };
    assert_eq!(find(Lookup::Latest).await, Some(3));
    assert_eq!(find(Lookup::VersionTag("new".into())).await, Some(3));
    assert_eq!(find(Lookup::VersionTag("old".into())).await, Some(1));
    assert_eq!(find(Lookup::VersionTag("none".into())).await, None);
    assert_eq!(find(Lookup::Deployment(versions[1].deployment)).await, Some(2));
    let form = &versions[0];
    assert_eq!(session.store.form(form.key).await.expect("reads").as_deref(), Some(form));

    let (definition, resource) = (session.make.definition("p", 1), session.make.resource("r", 2));
    let xml = ProcessXml { definition: definition.key, xml: Arc::from("<bpmn/>") };
    session.commit(vec![put(&definition), put(&xml), put(&resource)]).await;
    let by_key = session.store.definition(definition.key).await.expect("reads").expect("there");
    assert_eq!(*by_key, definition);
    let stored = session.store.definition_xml(definition.key).await.expect("reads");
    assert_eq!(stored.as_deref(), Some("<bpmn/>"));
    assert_eq!(session.store.definition_xml(DefinitionKey(4)).await.expect("reads"), None);
    assert_eq!(session.store.resource(resource.key).await.expect("reads").as_deref(), Some(&resource));
}

pub async fn deleted_versions_are_not_latest(place: &dyn Place) {
    let session = Session::open(place).await;
    let first = session.make.form("f", 1);
    let deleted = Form { is_deleted: true, deployment: session.make.key(), ..session.make.form("f", 2) };
    session.commit(vec![put(&first), put(&deleted)]).await;
    let tenant = TenantId::default();
    let latest = session.store.find_form(&tenant, "f", &Lookup::Latest).await.expect("finds");
    assert_eq!(latest.map(|form| form.version), Some(1));
    let gone = session.store.find_form(&tenant, "f", &Lookup::Deployment(deleted.deployment)).await;
    assert_eq!(gone.expect("finds"), None);
}

pub async fn the_version_number_moves(place: &dyn Place) {
    let session = Session::open(place).await;
    let before = session.store.definitions_version().await.expect("reads");
    let still = session.commit(vec![put(&session.make.instance(session.make.key()))]).await;
    assert_eq!(still.definitions_version, before);
    let moved = session.commit(vec![put(&session.make.definition("p", 1))]).await;
    assert!(moved.definitions_version > before);
    assert_eq!(session.store.definitions_version().await.expect("reads"), moved.definitions_version);
}

pub async fn all_versions_are_loaded_for_the_engine(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let first = make.definition("p", 1);
    let deleted = ProcessDefinition { state: DefinitionState::Deleted, ..make.definition("p", 2) };
    let start = make.start_subscription(&first, StartEventKind::Message, "go");
    let timer = Timer {
        key: make.key(),
        due_at: Timestamp(5),
        purpose: TimerPurpose::Start {
            definition: first.key,
            process_id: "p".into(),
            target: ElementIndex(1),
            tenant: TenantId::default(),
        },
        repetitions: Some(3),
        waits_for_clock: false,
    };
    let xml = ProcessXml { definition: first.key, xml: Arc::from("<bpmn/>") };
    let (form, resource) = (make.form("f", 1), make.resource("r", 1));
    let other = make.definition("q", 1);
    session
        .commit(vec![
            put(&first),
            put(&deleted),
            put(&start),
            put(&timer),
            put(&xml),
            put(&form),
            put(&resource),
            put(&other),
        ])
        .await;
    let tenant = TenantId::default();
    let loaded = session.load(Need::Process { tenant: tenant.clone(), process_id: "p".into() }).await;
    let expected = [super::row(&first), super::row(&deleted), super::row(&start), super::row(&timer)];
    assert_eq!(loaded.entities, expected);
    let loaded = session.load(Need::Definition(first.key)).await;
    assert_eq!(loaded.entities, [super::row(&first), super::row(&xml)]);
    let loaded = session.load(Need::Form { tenant: tenant.clone(), form_id: "f".into() }).await;
    assert_eq!(loaded.entities, [super::row(&form)]);
    let loaded = session.load(Need::Resource { tenant, resource_id: "r".into() }).await;
    assert_eq!(loaded.entities, [super::row(&resource)]);
    for (key, expected) in [
        (first.key.0, super::row(&first)),
        (form.key.0, super::row(&form)),
        (resource.key.0, super::row(&resource)),
    ] {
        let loaded = session.load(Need::ResourceByKey(ResourceKey(key))).await;
        assert_eq!(loaded.entities, [expected]);
    }
}
