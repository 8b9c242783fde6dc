//! Deployed things.

use super::put;
use crate::{Place, Session};
use std::sync::Arc;
use tidemill_model::entity::{
    DefinitionState, ProcessDefinition, ProcessXml, StartEventKind, Timer, TimerPurpose,
};
use tidemill_model::{DefinitionKey, ElementIndex, ResourceKey, TenantId, Timestamp};
use tidemill_store::{LoadRequest, Lookup};

pub async fn versions_are_found_in_every_way(place: &dyn Place) {
    let session = Session::open(place).await;
    let tagged = |version, tag: &str| ProcessDefinition {
        version_tag: Some(tag.into()),
        ..session.make.definition("p", version)
    };
    let versions = [tagged(1, "old"), tagged(2, "new"), tagged(3, "new")];
    let other_tenant = ProcessDefinition { tenant: TenantId("t".into()), ..session.make.definition("p", 7) };
    let xml = ProcessXml { definition: versions[0].key, xml: Arc::from("<bpmn/>") };
    session.commit(versions.iter().chain([&other_tenant]).map(put).chain([put(&xml)]).collect()).await;
    let tenant = TenantId::default();
    let find = async |lookup: Lookup| {
        let found = session.store.find_definition(&tenant, "p", &lookup).await.expect("finds");
        found.map(|definition| definition.version)
    };
    assert_eq!(find(Lookup::Latest).await, Some(3));
    assert_eq!(find(Lookup::Newest).await, Some(3));
    assert_eq!(find(Lookup::Version(2)).await, Some(2));
    assert_eq!(find(Lookup::Version(7)).await, None);
    assert_eq!(find(Lookup::VersionTag("new".into())).await, Some(3));
    assert_eq!(find(Lookup::VersionTag("old".into())).await, Some(1));
    assert_eq!(find(Lookup::Deployment(versions[1].deployment)).await, Some(2));
    let by_key = session.store.definition(versions[0].key).await.expect("reads").expect("there");
    assert_eq!(*by_key, versions[0]);
    let stored = session.store.definition_xml(versions[0].key).await.expect("reads");
    assert_eq!(stored.as_deref(), Some("<bpmn/>"));
    assert_eq!(session.store.definition_xml(DefinitionKey(4)).await.expect("reads"), None);
    let form = session.make.form("f", 4);
    let resource = session.make.resource("r", 2);
    session.commit(vec![put(&form), put(&resource)]).await;
    let found = session.store.find_form(&tenant, "f", &Lookup::Latest).await.expect("finds").expect("there");
    assert_eq!(*found, form);
    assert_eq!(session.store.form(form.key).await.expect("reads").as_deref(), Some(&form));
    let found = session.store.find_resource(&tenant, "r", &Lookup::Version(2)).await.expect("finds");
    assert_eq!(found.as_deref(), Some(&resource));
    assert_eq!(session.store.resource(resource.key).await.expect("reads").as_deref(), Some(&resource));
}

pub async fn deleted_versions_are_not_latest(place: &dyn Place) {
    let session = Session::open(place).await;
    let first = session.make.definition("p", 1);
    let deleted = ProcessDefinition { state: DefinitionState::Deleted, ..session.make.definition("p", 2) };
    let other = session.make.definition("q", 1);
    session.commit(vec![put(&first), put(&deleted), put(&other)]).await;
    let tenant = TenantId::default();
    let latest = session.store.find_definition(&tenant, "p", &Lookup::Latest).await.expect("finds");
    let newest = session.store.find_definition(&tenant, "p", &Lookup::Newest).await.expect("finds");
    assert_eq!(latest.map(|definition| definition.version), Some(1));
    assert_eq!(newest.map(|definition| definition.version), Some(2));
    let all = session.store.latest_definitions().await.expect("reads");
    assert_eq!(all.iter().map(|d| d.key).collect::<Vec<_>>(), [first.key, other.key]);
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
    let loaded = session.load(LoadRequest::Process { tenant: tenant.clone(), process_id: "p".into() }).await;
    let expected = [super::row(&first), super::row(&deleted), super::row(&start), super::row(&timer)];
    assert_eq!(loaded.entities, expected);
    let loaded = session.load(LoadRequest::Definition(first.key)).await;
    assert_eq!(loaded.entities, [super::row(&first), super::row(&xml)]);
    let loaded = session.load(LoadRequest::Form { tenant: tenant.clone(), form_id: "f".into() }).await;
    assert_eq!(loaded.entities, [super::row(&form)]);
    let loaded = session.load(LoadRequest::Resource { tenant, resource_id: "r".into() }).await;
    assert_eq!(loaded.entities, [super::row(&resource)]);
    for (key, expected) in [
        (first.key.0, super::row(&first)),
        (form.key.0, super::row(&form)),
        (resource.key.0, super::row(&resource)),
    ] {
        let loaded = session.load(LoadRequest::ResourceByKey(ResourceKey(key))).await;
        assert_eq!(loaded.entities, [expected]);
    }
}
