//! TLS with the three degrees of trust that libpq knows.

use super::url::{Target, Trust};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use tidemill_store::{Error, Result};
use tokio_postgres_rustls::MakeRustlsConnect;

pub(super) fn connector(target: &Target) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let authority = match target.trust {
        // The way is encrypted, but whoever answers is taken for the server.
        Trust::Anyone => None,
        _ => {
            let roots = Arc::new(roots(target.root_certificate.as_deref())?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
            Some(verifier.map_err(|error| failed(error.to_string()))?)
        }
    };
    let verifier = Verifier { trust: target.trust, authority, provider: provider.clone() };
    // The usual verifier always compares names. Two of the three degrees do not, so the comparison has to be left out by one of our own.
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match &target.identity {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, error))?;
            config
                .with_client_auth_cert(certificates(certificate)?, key)
                .map_err(|error| failed(error.to_string()))?
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

/// The named file; the system's authorities for `system` or where none is named.
fn roots(file: Option<&Path>) -> Result<RootCertStore> {
    let found = match file {
        Some(path) if path != Path::new("system") => certificates(path)?,
        _ => rustls_native_certs::load_native_certs().certs,
    };
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found);
    if roots.is_empty() {
        return Err(failed(
            "there is no root certificate to check the server with; name one by sslrootcert".into(),
        ));
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(path, error))?;
    found.collect::<Result<_, _>>().map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, error: rustls::pki_types::pem::Error) -> Error {
    failed(format!("{} cannot be read: {error}", path.display()))
}

fn failed(reason: String) -> Error {
    Error::Failed { place: "TLS to Postgres".into(), reason }
}

#[derive(Debug)]
struct Verifier {
    trust: Trust,
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                // The chain was checked before the name, so the certificate is of a known authority.
            )) if self.trust == Trust::Authority => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
