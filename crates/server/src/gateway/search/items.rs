//! The items of an answer as JSON, written one after the other: a long answer goes out in pieces while the rows that
//! were written are let go, so that it never lies in memory as a whole.

use super::page::PageInfo;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream;
use serde::Serialize;
use std::convert::Infallible;

/// A shorter answer goes out whole.
const PIECE_BYTES: usize = 64 << 10;

pub(crate) struct Items {
    text: Vec<u8>,
    is_first: bool,
}

impl Items {
    fn begin() -> Items {
        Items { text: b"{\"items\":[".to_vec(), is_first: true }
    }

    pub(crate) fn push(&mut self, item: &impl Serialize) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(b',');
        }
        write(&mut self.text, item);
    }

    fn end(&mut self, page: &PageInfo) {
        self.text.extend_from_slice(b"],\"page\":");
        write(&mut self.text, page);
        self.text.push(b'}');
    }

    fn is_piece(&self) -> bool {
        self.text.len() >= PIECE_BYTES
    }

    fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(&mut self.text))
    }
}

fn write(text: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(text, value).expect("answers have string keys and stored JSON is valid");
}

pub(super) fn answer<V: Send + 'static>(
    rows: Vec<V>,
    page: PageInfo,
    show: impl Fn(&V, &mut Items) + Send + 'static,
) -> Response {
    let (mut rows, mut items) = (rows.into_iter(), Items::begin());
    // The page stands at the end, so having written it means being done.
    let mut page = Some(page);
    let mut next = move || {
        while !items.is_piece() {
            match rows.next() {
                Some(row) => show(&row, &mut items),
                None => {
                    if let Some(page) = page.take() {
                        items.end(&page);
                    }
                    return (items.take(), true);
                }
            }
        }
        (items.take(), false)
    };
    let (first, is_all) = next();
    if is_all {
        return json(Body::from(first));
    }
    let pieces = stream::unfold((Some(first), Some(next)), |(first, next)| async {
        if let Some(first) = first {
            return Some((Ok::<_, Infallible>(first), (None, next)));
        }
        let mut next = next?;
        let (piece, is_last) = next();
        Some((Ok(piece), (None, (!is_last).then_some(next))))
    });
    json(Body::from_stream(pieces))
}

/// Each row is given to `show` with the items so far, which it gives back; it may have to ask the store for more.
pub(super) fn answer_in_turn<V: Send + 'static>(
    rows: Vec<V>,
    page: PageInfo,
    show: impl Fn(V, Items) -> BoxFuture<'static, Items> + Send + 'static,
) -> Response {
    let start = Some((rows.into_iter(), Items::begin(), page, show));
    let pieces = stream::unfold(start, |state| async {
        let (mut rows, mut items, page, show) = state?;
        while !items.is_piece() {
            match rows.next() {
                Some(row) => items = show(row, items).await,
                None => {
                    items.end(&page);
                    return Some((Ok::<_, Infallible>(items.take()), None));
                }
            }
        }
        Some((Ok(items.take()), Some((rows, items, page, show))))
    });
    json(Body::from_stream(pieces))
}

fn json(body: Body) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use http_body_util::BodyExt;
    use serde_json::{Value, json};

    fn page() -> PageInfo {
        PageInfo { total_items: 3, has_more_total_items: false, start_cursor: None, end_cursor: None }
    }

    async fn pieces(response: Response) -> Vec<Bytes> {
        let (mut body, mut pieces) = (response.into_body(), Vec::new());
        while let Some(frame) = body.frame().await {
            pieces.extend(frame.expect("no failure").into_data());
        }
        pieces
    }

    #[tokio::test]
    async fn long_answers_go_out_in_pieces() {
        for (count, letters) in [(0, 0), (3, 5), (100, 10_000), (3, 200_000)] {
            let rows = vec!["x".repeat(letters); count];
            let whole = answer(rows.clone(), page(), |row, items| items.push(row));
            let in_turn = answer_in_turn(rows.clone(), page(), |row, mut items| {
                async move {
                    items.push(&row);
                    items
                }
                .boxed()
            });
            for response in [whole, in_turn] {
                let pieces = pieces(response).await;
                assert!(pieces.iter().all(|piece| piece.len() < PIECE_BYTES + letters + 100));
                let told: Value = serde_json::from_slice(&pieces.concat()).expect("JSON");
                assert_eq!(told["items"], json!(rows));
                assert_eq!(told["page"]["totalItems"], 3);
            }
        }
    }
}
