//! Requests by route and answer. A route is looked up once per request, without making anything.

use super::cell::{Counter, Gauge, Times};
use super::text::{Page, Unit};
use axum::http::Method;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Routes that have a value of their own: more than there are.
const ROUTES_MAX: usize = 500;
/// Statuses from 100 on.
const STATUSES: usize = 500;
const UNPOISONED: &str = "nobody panics while holding it";

/// Cells by route and method.
type Routes = FxHashMap<Box<str>, Vec<(Method, Arc<RouteCells>)>>;

#[derive(Default)]
pub(crate) struct HttpMetrics {
    routes: RwLock<Routes>,
    open: Gauge,
}

struct RouteCells {
    by_status: [Counter; STATUSES],
    times: Times,
}

/// A request that waits for its answer.
pub(crate) struct OpenRequest<'m>(&'m HttpMetrics);

impl HttpMetrics {
    pub(crate) fn enter(&self) -> OpenRequest<'_> {
        self.open.add(1);
        OpenRequest(self)
    }

    fn cells(&self, route: &str, method: &Method) -> Option<Arc<RouteCells>> {
        let find = |routes: &Routes| {
            routes.get(route)?.iter().find(|(known, _)| known == method).map(|(_, cells)| cells.clone())
        };
        if let Some(cells) = find(&self.routes.read().expect(UNPOISONED)) {
            return Some(cells);
        }
        let mut routes = self.routes.write().expect(UNPOISONED);
        if let Some(cells) = find(&routes) {
            return Some(cells);
        }
        if routes.len() >= ROUTES_MAX {
            return None;
        }
        let cells =
            RouteCells { by_status: std::array::from_fn(|_| Counter::default()), times: Times::default() };
        let cells = Arc::new(cells);
        routes.entry(route.into()).or_default().push((method.clone(), cells.clone()));
        Some(cells)
    }

    pub(super) fn write(&self, page: &mut Page) {
        let routes: BTreeMap<(String, String), Arc<RouteCells>> = {
            let routes = self.routes.read().expect(UNPOISONED);
            let all = routes.iter().flat_map(|(route, methods)| {
                methods
                    .iter()
                    .map(move |(method, cells)| ((route.to_string(), method.to_string()), cells.clone()))
            });
            all.collect()
        };
        let name = "tidemill_http_requests_total";
        page.family(name, "counter", "Requests by route and answer.");
        for ((route, method), cells) in &routes {
            for (status, counter) in (100..).zip(&cells.by_status).filter(|(_, counter)| counter.get() > 0) {
                let status: String = i32::to_string(&status);
                let labels = [("route", route.as_str()), ("method", method), ("status", &status)];
                page.line(name, &labels, counter.get());
            }
        }
        let name = "tidemill_http_request_seconds";
        page.family(name, "histogram", "Time until the answer began.");
        for ((route, method), cells) in &routes {
            page.buckets(name, &[("route", route), ("method", method)], &cells.times, Unit::Seconds);
        }
        page.gauge("tidemill_http_requests_open", "Requests that wait for their answer.", self.open.get());
    }
}

impl OpenRequest<'_> {
    pub(crate) fn answered(&self, route: &str, method: &Method, status: u16, took: Duration) {
        // Clients can invent methods, so unknown ones are not counted one by one.
        let known = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD];
        let method = known.iter().find(|known| *known == method).unwrap_or(&Method::OPTIONS);
        if let Some(cells) = self.0.cells(route, method) {
            if let Some(counter) = cells.by_status.get(usize::from(status).saturating_sub(100)) {
                counter.add(1);
            }
            cells.times.note(took);
        }
    }
}

/// Also of a client that has left before.
impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.0.open.add(-1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let http = HttpMetrics::default();
        for status in [200, 200, 404] {
            http.enter().answered("/v2/jobs/{p1}", &Method::POST, status, Duration::from_millis(2));
        }
        let left = http.enter();
        let mut page = Page::default();
        http.write(&mut page);
        drop(left);
        let text = page.into_text();
        let line = "tidemill_http_requests_total{route=\"/v2/jobs/{p1}\",method=\"POST\",status=\"200\"} 2\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("status=\"404\"} 1\n") && text.contains("requests_open 1\n"), "{text}");
    }
}
