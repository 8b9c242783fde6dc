//! Connections to receivers: a name is resolved, every address is checked, and only a checked address is connected to. So a name
//! that leads elsewhere a moment later gains nothing.

use super::allow::AllowRules;
use super::tls::Tls;
use axum::http::Uri;
use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// For each address; the time-out of the call holds for all of it.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(super) struct Connector {
    pub(super) allow: Arc<AllowRules>,
    pub(super) tls: Tls,
}

/// No address of the host may be called.
#[derive(Debug, thiserror::Error)]
#[error(
    "{host} leads to {address}, which callbacks may not reach; an operator can allow it (callbacks.allow in the settings)"
)]
pub(super) struct Refused {
    host: String,
    address: SocketAddr,
}

impl tower::Service<Uri> for Connector {
    type Response = TokioIo<Receiver>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<TokioIo<Receiver>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.connect(&uri).await.map(TokioIo::new) })
    }
}

impl Connector {
    async fn connect(&self, uri: &Uri) -> io::Result<Receiver> {
        let is_secret = uri.scheme_str() == Some("https");
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let port = uri.port_u16().unwrap_or(if is_secret { 443 } else { 80 });
        let stream = self.reach(host, port).await?;
        stream.set_nodelay(true)?;
        match is_secret {
            true => Ok(Receiver::Tls(Box::new(self.tls.connect(host, stream).await?))),
            false => Ok(Receiver::Plain(stream)),
        }
    }

    async fn reach(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
        let (allowed, refused): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|found| self.allow.permits(host, found.ip(), port));
        let mut last = None;
        for address in allowed {
            match tokio::time::timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(io::Error::from(io::ErrorKind::TimedOut)),
            }
        }
        let refusal = |address: &SocketAddr| {
            let refused = Refused { host: host.to_owned(), address: *address };
            io::Error::new(io::ErrorKind::PermissionDenied, refused)
        };
        let nothing = || io::Error::new(io::ErrorKind::NotFound, format!("{host} has no address"));
        Err(last.or(refused.first().map(refusal)).unwrap_or_else(nothing))
    }
}

/// The refusal in a failed call, if that is why it has failed.
pub(super) fn refusal<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Refused> {
    let mut source = Some(error);
    while let Some(error) = source {
        if let Some(refused) = error.downcast_ref::<Refused>() {
            return Some(refused);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        if let Some(refused) = inner.and_then(|inner| inner.downcast_ref::<Refused>()) {
            return Some(refused);
        }
        source = error.source();
    }
    None
}

/// A connection to a receiver.
pub(super) enum Receiver {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Receiver {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Receiver {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Receiver::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Receiver::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Receiver {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Receiver::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Receiver::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Receiver::Plain(stream) => Pin::new(stream).poll_flush(context),
            Receiver::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Receiver::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Receiver::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
