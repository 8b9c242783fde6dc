//! TLS of callbacks: the roots of the system, or those of a file.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

#[derive(Clone)]
pub(super) struct Tls {
    connector: TlsConnector,
}

impl Tls {
    /// `roots` is a file with certificates, in PEM.
    pub(super) fn new(roots: Option<&Path>) -> io::Result<Tls> {
        let mut store = rustls::RootCertStore::empty();
        match roots {
            Some(path) => {
                let failed = |error| {
                    let reason = format!("cannot read the certificates in {}: {error}", path.display());
                    io::Error::new(io::ErrorKind::InvalidInput, reason)
                };
                for certificate in CertificateDer::pem_file_iter(path).map_err(failed)? {
                    store.add(certificate.map_err(failed)?).map_err(io::Error::other)?;
                }
                if store.is_empty() {
                    let reason = format!("{} has no certificate", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
                }
            }
            // A machine without certificates can still call by http.
            None => {
                store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(store)
            .with_no_client_auth();
        Ok(Tls { connector: TlsConnector::from(Arc::new(config)) })
    }

    pub(super) async fn connect(&self, host: &str, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        self.connector.connect(name, stream).await
    }
}
