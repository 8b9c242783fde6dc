//! `https://`: whom the command line believes.

use super::Failure;
use std::path::Path;
use std::sync::Arc;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Trusts the authorities of a file, or those of the system.
pub(super) fn config(url: &str, authority: Option<&Path>) -> Result<TlsConfig, Failure> {
    let roots = match authority {
        Some(file) => read(file).map_err(|reason| bad_authority(url, file, &reason))?,
        None => system(url)?,
    };
    Ok(TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build())
}

fn read(file: &Path) -> Result<Vec<Certificate<'static>>, String> {
    let text = std::fs::read(file).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| error.to_string())? {
            found.push(certificate);
        }
    }
    match found.is_empty() {
        true => Err("there is no certificate in it".to_owned()),
        false => Ok(found),
    }
}

fn system(url: &str) -> Result<Vec<Certificate<'static>>, Failure> {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        let reason = "this system has no list of authorities; name yours with --ca FILE".to_owned();
        return Err(Failure::BadUrl { url: url.to_owned(), reason });
    }
    Ok(found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect())
}

fn bad_authority(url: &str, file: &Path, reason: &str) -> Failure {
    let reason = format!("Expected certificates of authorities in {}, as PEM, but {reason}", file.display());
    Failure::BadAuthority { url: url.to_owned(), reason }
}
