//! The servers of a test and their store: killed, frozen and started again.

use crate::client::Addresses;
use crate::world::{Server, World, eventually};
use std::sync::Arc;
use tidemill_store_conformance::postgres::Proxy;
use tidemill_store_conformance::servers::StoreServer;

/// The lease of the servers in most rounds. It is shorter than the default, which only saves waiting.
pub(crate) const SHORT_LEASE: &[&str] = &["--lease", "2s"];
pub(crate) const DEFAULT_LEASE: &[&str] = &[];

pub(crate) struct Fleet {
    // Before the store, so that they end before it.
    servers: Vec<Option<Server>>,
    /// A way to the store of its own for each server that is started again.
    proxies: Vec<Proxy>,
    pub(crate) store: StoreServer,
    addresses: Arc<Addresses>,
    /// For the proxies.
    _runtime: tokio::runtime::Runtime,
}

impl Fleet {
    pub(crate) fn start(servers: usize) -> Fleet {
        let store = StoreServer::start();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let proxy = |_| runtime.block_on(store.proxy());
        let proxies = (0..servers).map(proxy).collect();
        let world = World::on(&store);
        let started = (0..servers).map(|_| Some(world.start_with(SHORT_LEASE))).collect();
        let addresses = Addresses::new(servers);
        let fleet = Fleet { servers: started, proxies, store, addresses, _runtime: runtime };
        (0..servers).for_each(|place| fleet.addresses.set(place, Some(fleet.server(place))));
        fleet.settle();
        fleet
    }

    pub(crate) fn deploy(&self, models: &[(&str, String)]) {
        for (name, xml) in models {
            self.server(0).deploy(name, xml);
        }
    }

    pub(crate) fn addresses(&self) -> &Arc<Addresses> {
        &self.addresses
    }

    pub(crate) fn count(&self) -> usize {
        self.servers.len()
    }

    /// All but one.
    pub(crate) fn others(&self, place: usize) -> Vec<usize> {
        (0..self.count()).filter(|other| *other != place).collect()
    }

    pub(crate) fn server(&self, place: usize) -> &Server {
        self.servers[place].as_ref().expect("it was started again")
    }

    pub(crate) fn proxy(&self, place: usize) -> &Proxy {
        &self.proxies[place]
    }

    /// Waits until every server has its share.
    pub(crate) fn settle(&self) {
        let servers: Vec<&Server> = self.servers.iter().flatten().collect();
        for server in &servers {
            eventually("the server is ready", || server.get("/readyz").status == 200);
        }
        World::on(&self.store).settle(&servers);
    }

    pub(crate) fn kill(&mut self, place: usize) {
        let server = self.servers[place].take().expect("it was started again");
        server.kill();
        self.addresses.set(place, None);
    }

    /// Starts another server in place of one that was killed, behind a proxy.
    pub(crate) fn start_again(&mut self, place: usize, lease: &[&str]) {
        let server = World::at(self.proxies[place].url()).start_with(lease);
        self.addresses.set(place, Some(&server));
        self.servers[place] = Some(server);
    }
}
