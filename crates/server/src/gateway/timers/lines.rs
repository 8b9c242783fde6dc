//! A body that is read line by line, however long it is.

use axum::body::Body;
use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use std::time::Duration;

/// Bytes of one line: a timer with the largest payload, and all that is around it.
const LINE_BYTES_MAX: usize = 512 << 10;

pub(super) struct Lines {
    body: Body,
    rest: BytesMut,
    is_over: bool,
    /// How long nothing may come.
    silence_max: Duration,
    /// Of the last line that was taken, from 1 on.
    number: u64,
}

/// Lines with their numbers, and why no more can be read, if so.
pub(super) struct Taken {
    pub(super) lines: Vec<(u64, Bytes)>,
    pub(super) is_over: bool,
    pub(super) problem: Option<String>,
}

impl Lines {
    /// The first line has this number.
    pub(super) fn new(body: Body, silence_max: Duration, first: u64) -> Lines {
        Lines { body, rest: BytesMut::new(), is_over: false, silence_max, number: first.saturating_sub(1) }
    }

    /// The lines that have come, at most so many of them; waits for one at least. Empty lines are counted and left out.
    pub(super) async fn take(&mut self, lines_max: usize, bytes_max: usize) -> Taken {
        let mut taken = Taken { lines: Vec::new(), is_over: false, problem: None };
        let mut bytes = 0;
        loop {
            while taken.lines.len() < lines_max && bytes < bytes_max {
                let Some(line) = self.next_line() else { break };
                self.number += 1;
                if !line.iter().all(u8::is_ascii_whitespace) {
                    bytes += line.len();
                    taken.lines.push((self.number, line));
                }
            }
            taken.is_over = self.is_over && self.rest.is_empty();
            let has_enough = taken.lines.len() >= lines_max || bytes >= bytes_max;
            if has_enough || taken.is_over || (self.rest.len() > LINE_BYTES_MAX && self.next_end().is_none())
            {
                if !has_enough && !taken.is_over {
                    let reason =
                        format!("Expected lines of at most {LINE_BYTES_MAX} bytes, but one is longer");
                    taken.problem = Some(reason);
                }
                return taken;
            }
            let frame = tokio::time::timeout(self.silence_max, self.body.frame()).await;
            match frame {
                Err(_) => taken.problem = Some(format!("Expected more lines within {:?}", self.silence_max)),
                Ok(Some(Err(error))) => taken.problem = Some(format!("The body broke off: {error}")),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.rest.extend_from_slice(&data);
                    }
                    continue;
                }
                Ok(None) => {
                    self.is_over = true;
                    continue;
                }
            }
            return taken;
        }
    }

    fn next_end(&self) -> Option<usize> {
        memchr::memchr(b'\n', &self.rest)
    }

    fn next_line(&mut self) -> Option<Bytes> {
        match self.next_end() {
            Some(end) => {
                let line = self.rest.split_to(end).freeze();
                self.rest.advance(1);
                Some(line)
            }
            None if self.is_over && !self.rest.is_empty() => Some(self.rest.split().freeze()),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&'static str]) -> Lines {
        let parts: Vec<Result<Bytes, std::io::Error>> =
            parts.iter().map(|part| Ok(Bytes::from_static(part.as_bytes()))).collect();
        Lines::new(Body::from_stream(futures_util::stream::iter(parts)), Duration::from_secs(5), 1)
    }

    #[tokio::test]
    async fn lines_are_numbered_wherever_the_body_was_cut() {
        let mut lines = lines(&["{\"a\":", "1}\n\n {\"b\"", ":2}\r\nlast"]);
        let taken = lines.take(2, 1_000).await;
        let told: Vec<(u64, &[u8])> = taken.lines.iter().map(|(n, line)| (*n, &line[..])).collect();
        assert_eq!(told, [(1, &b"{\"a\":1}"[..]), (3, b" {\"b\":2}\r")]);
        assert!(!taken.is_over && taken.problem.is_none());
        let taken = lines.take(2, 1_000).await;
        assert_eq!(taken.lines.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [4]);
        assert!(taken.is_over);
    }

    #[tokio::test]
    async fn a_line_without_end_is_refused() {
        let long: &'static str = Box::leak("x".repeat(LINE_BYTES_MAX + 1).into_boxed_str());
        let taken = lines(&["1\n", long, long]).take(100, 1 << 30).await;
        assert_eq!(taken.lines.len(), 1);
        assert!(taken.problem.is_some());
    }
}
