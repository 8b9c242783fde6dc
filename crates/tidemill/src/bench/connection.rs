//! A lean HTTP/1.1 connection: the clients share the machine with the server that they measure, so that every
//! microsecond they save is the server's.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(super) struct Connection {
    stream: TcpStream,
    output: Vec<u8>,
    input: Vec<u8>,
}

pub(super) struct Answer<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

impl Answer<'_> {
    /// True if the server did it; false when it asks for patience. Anything else makes the figures worthless.
    pub(super) fn is_taken(&self) -> Result<bool> {
        match self.status {
            200..300 => Ok(true),
            429 | 503 => Ok(false),
            status => bail!("the server answers {status}: {}", String::from_utf8_lossy(self.body)),
        }
    }
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Result<Connection> {
        let stream = TcpStream::connect(address).await.context("the server takes no connections")?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, output: Vec::with_capacity(1024), input: Vec::with_capacity(16 * 1024) })
    }

    pub(super) async fn post(&mut self, path: &str, body: &str) -> Result<Answer<'_>> {
        self.send(path, "", body).await
    }

    /// To be answered when it is safe, before it has run.
    pub(super) async fn post_async(&mut self, path: &str, body: &str) -> Result<Answer<'_>> {
        self.send(path, "prefer: respond-async\r\n", body).await
    }

    async fn send(&mut self, path: &str, headers: &str, body: &str) -> Result<Answer<'_>> {
        self.output.clear();
        write!(
            self.output,
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        self.stream.write_all(&self.output).await?;
        self.input.clear();
        loop {
            if let Some(head) = head(&self.input)?
                && self.input.len() >= head.bytes + head.body_bytes
            {
                let body = &self.input[head.bytes..head.bytes + head.body_bytes];
                return Ok(Answer { status: head.status, body });
            }
            if self.stream.read_buf(&mut self.input).await? == 0 {
                bail!("the server has closed the connection");
            }
        }
    }
}

struct Head {
    status: u16,
    bytes: usize,
    body_bytes: usize,
}

/// None while it has not come completely.
fn head(input: &[u8]) -> Result<Option<Head>> {
    let Some(end) = input.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&input[..end]).context("the head of an answer is no text")?;
    let status = text.get(9..12).and_then(|status| status.parse().ok()).context("an answer has no status")?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    Ok(Some(Head { status, bytes: end + 4, body_bytes: length.unwrap_or(0) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_when_they_are_complete() {
        assert!(head(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n").expect("text").is_none());
        let full = head(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").expect("text").expect("complete");
        assert_eq!((full.status, full.bytes, full.body_bytes), (200, 38, 2));
        let none = head(b"HTTP/1.1 204 No Content\r\n\r\n").expect("text").expect("complete");
        assert_eq!((none.status, none.body_bytes), (204, 0));
    }
}
