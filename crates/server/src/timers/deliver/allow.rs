//! The addresses that callbacks may reach. A client that can create timers must not reach what only this
//! machine or its network may see.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An exception: an address (`10.1.2.3`), a network (`10.0.0.0/8`), a host name (`hooks.internal`) or all names below one
/// (`*.internal`), each for one port (`localhost:9000`) or for all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowRule {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Hosts {
    Network { address: IpAddr, bits: u32 },
    Name(String),
    Below(String),
}

#[derive(Clone, Default, Debug)]
pub struct AllowRules(pub Vec<AllowRule>);

impl AllowRules {
    /// `host` is the name that was resolved to the address.
    pub(super) fn permits(&self, host: &str, address: IpAddr, port: u16) -> bool {
        is_public(address) || self.0.iter().any(|rule| rule.covers(host, address, port))
    }
}

impl AllowRule {
    fn covers(&self, host: &str, address: IpAddr, port: u16) -> bool {
        let is_host = match &self.hosts {
            Hosts::Network { address: network, bits } => is_within(address.to_canonical(), *network, *bits),
            Hosts::Name(name) => host.eq_ignore_ascii_case(name),
            Hosts::Below(suffix) => {
                host.len() > suffix.len() && host.to_ascii_lowercase().ends_with(suffix.as_str())
            }
        };
        is_host && self.port.is_none_or(|wanted| wanted == port)
    }
}

impl FromStr for AllowRule {
    type Err = String;

    fn from_str(text: &str) -> Result<AllowRule, String> {
        let wrong = || {
            format!(
                "Expected an address, a network such as 10.0.0.0/8, or a host name, with :PORT or without, but it is '{text}'"
            )
        };
        let (host, port) = split_port(text);
        let port = port.map(|port| port.parse::<u16>()).transpose().map_err(|_| wrong())?;
        let hosts = read_hosts(host.trim_start_matches('[').trim_end_matches(']')).ok_or_else(wrong)?;
        Ok(AllowRule { hosts, port })
    }
}

/// The colons of an IPv6 address are none before a port, unless the address is in brackets.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    }
}

fn read_hosts(host: &str) -> Option<Hosts> {
    if let Some((address, bits)) = host.split_once('/') {
        let (address, bits): (IpAddr, u32) = (address.parse().ok()?, bits.parse().ok()?);
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        return (bits <= bits_max).then_some(Hosts::Network { address, bits });
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(Hosts::Network { address, bits: if address.is_ipv4() { 32 } else { 128 } });
    }
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    match host.strip_prefix('*') {
        Some(suffix) if suffix.starts_with('.') && is_name(&suffix[1..]) => {
            Some(Hosts::Below(suffix.to_ascii_lowercase()))
        }
        None if is_name(host) => Some(Hosts::Name(host.to_owned())),
        _ => None,
    }
}

fn is_within(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            address.to_bits() & mask == network.to_bits() & mask
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            address.to_bits() & mask == network.to_bits() & mask
        }
        _ => false,
    }
}

/// An address that everybody on the internet can reach as well.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match carried_v4(address) {
            Some(carried) => is_public_v4(carried),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    const CLOSED: [(Ipv4Addr, u32); 15] = [
        (Ipv4Addr::new(0, 0, 0, 0), 8),
        (Ipv4Addr::new(10, 0, 0, 0), 8),
        (Ipv4Addr::new(100, 64, 0, 0), 10),
        (Ipv4Addr::new(127, 0, 0, 0), 8),
        // Link-local, with the metadata of most clouds.
        (Ipv4Addr::new(169, 254, 0, 0), 16),
        (Ipv4Addr::new(172, 16, 0, 0), 12),
        (Ipv4Addr::new(192, 0, 0, 0), 24),
        (Ipv4Addr::new(192, 0, 2, 0), 24),
        (Ipv4Addr::new(192, 168, 0, 0), 16),
        (Ipv4Addr::new(198, 18, 0, 0), 15),
        (Ipv4Addr::new(198, 51, 100, 0), 24),
        (Ipv4Addr::new(203, 0, 113, 0), 24),
        // Multicast, reserved and broadcast.
        (Ipv4Addr::new(224, 0, 0, 0), 3),
        // Metadata of Azure.
        (Ipv4Addr::new(168, 63, 129, 16), 32),
        (Ipv4Addr::new(192, 88, 99, 0), 24),
    ];
    !CLOSED.iter().any(|(network, bits)| is_within(address.into(), (*network).into(), *bits))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Only this range is given to the internet; within it some are not.
    const GLOBAL: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
    const CLOSED: [(Ipv6Addr, u32); 3] = [
        // Teredo, benchmarks and other protocols; documentation.
        (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
        (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
        (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    ];
    is_within(address.into(), GLOBAL.into(), 3)
        && !CLOSED.iter().any(|(network, bits)| is_within(address.into(), (*network).into(), *bits))
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, through NAT64 or 6to4.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    let low = Ipv4Addr::from_bits(bits as u32);
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] if bits > 1 => Some(low),
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Some(low),
        [0x2002, high, next, ..] => Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(next))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(texts: &[&str]) -> AllowRules {
        AllowRules(texts.iter().map(|text| text.parse().expect(text)).collect())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    #[test]
    fn only_public_addresses_are_open() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "168.63.129.16",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "fec0::1",
            "100::1",
        ] {
            assert!(!rules(&[]).permits("h", address(text), 443), "{text}");
        }
        for text in [
            "1.1.1.1",
            "172.32.0.1",
            "93.184.216.34",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert!(rules(&[]).permits("h", address(text), 443), "{text}");
        }
    }

    #[test]
    fn exceptions_open_networks_addresses_and_names() {
        let allow = rules(&["10.0.0.0/8", "localhost:9000", "*.internal", "[::1]:80", "192.168.0.7"]);
        assert!(allow.permits("h", address("10.200.0.1"), 1));
        assert!(allow.permits("h", address("::ffff:10.0.0.1"), 1), "the same address in another form");
        assert!(allow.permits("localhost", address("127.0.0.1"), 9000));
        assert!(!allow.permits("localhost", address("127.0.0.1"), 9001));
        assert!(!allow.permits("other", address("127.0.0.1"), 9000));
        assert!(allow.permits("a.b.internal", address("172.16.0.1"), 443));
        assert!(!allow.permits("internal", address("172.16.0.1"), 443));
        assert!(allow.permits("h", address("::1"), 80));
        assert!(!allow.permits("h", address("::1"), 81));
        assert!(allow.permits("h", address("192.168.0.7"), 5));
        assert!(!allow.permits("h", address("192.168.0.8"), 5));
    }

    #[test]
    fn what_is_no_rule_is_told() {
        for text in
            ["", "10.0.0.0/33", "a b", "*internal", "host:port", "http://x", "10.0.0.0/x", "host:99999"]
        {
            let error = text.parse::<AllowRule>().expect_err(text);
            assert!(error.contains("Expected an address"), "{error}");
        }
    }
}
