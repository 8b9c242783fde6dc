//! Where a server listens, as people write it: `127.0.0.1:8080`, `localhost:8080`, `:8080`.

use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ListenAddress(pub(crate) SocketAddr);

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<ListenAddress, String> {
        // Without a host, this machine: other machines are let in by an address that says so.
        let local = text.strip_prefix("localhost:").or(text.strip_prefix(':'));
        let address = match local {
            Some(port) => port.parse().ok().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
            None => text.parse().ok(),
        };
        address.map(ListenAddress).ok_or_else(|| {
            format!("'{text}' is no address to listen on; write 127.0.0.1:8080, localhost:8080 or :8080")
        })
    }
}

impl TryFrom<String> for ListenAddress {
    type Error = String;

    fn try_from(text: String) -> Result<ListenAddress, String> {
        text.parse()
    }
}

/// Where metrics are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum MetricsAddress {
    At(SocketAddr),
    Off,
}

impl FromStr for MetricsAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricsAddress, String> {
        if text == "off" {
            return Ok(MetricsAddress::Off);
        }
        let address: ListenAddress = text.parse().map_err(|_| {
            format!("'{text}' is no address for metrics; write 127.0.0.1:9600, :9600, or off for none")
        })?;
        Ok(MetricsAddress::At(address.0))
    }
}

impl TryFrom<String> for MetricsAddress {
    type Error = String;

    fn try_from(text: String) -> Result<MetricsAddress, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_an_address_or_none() {
        let read = |text: &str| text.parse::<MetricsAddress>();
        assert_eq!(read("off"), Ok(MetricsAddress::Off));
        let address = MetricsAddress::At(SocketAddr::from((Ipv4Addr::LOCALHOST, 9_601)));
        assert_eq!(read(":9601"), Ok(address));
        assert!(read("on").expect_err("refused").contains("off for none"));
    }

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        let read = |text: &str| text.parse::<ListenAddress>().map(|address| address.0.to_string());
        for text in ["127.0.0.1:8080", "localhost:8080", ":8080"] {
            assert_eq!(read(text), Ok("127.0.0.1:8080".to_owned()), "{text}");
        }
        assert_eq!(read("[::1]:9"), Ok("[::1]:9".to_owned()));
        for text in ["8080", "localhost", ":port", ""] {
            assert!(read(text).expect_err("refused").contains("127.0.0.1:8080"), "{text}");
        }
    }
}
