//! Hash tags. All keys of a partition carry one tag, so a Redis Cluster keeps them in one slot. The tags are chosen so that
//! partitions are spread evenly over the slots: names alone would put half of them on one server.

const SLOTS: u32 = 16_384;

/// The tag of a partition: `tm:3`, or with letters behind it until it falls into the partition's part of the slots.
pub(crate) fn of_partition(prefix: &str, partition: u16, partitions: u16) -> String {
    let part = |number: u32| number * SLOTS / u32::from(partitions);
    let own = part(u32::from(partition) - 1)..part(u32::from(partition));
    let plain = format!("{prefix}:{partition}");
    let lettered = (0u32..).map(|n| if n == 0 { plain.clone() } else { format!("{plain}.{n}") });
    let mut fitting = lettered.filter(|tag| own.contains(&slot(tag)));
    fitting.next().expect("names never end")
}

fn slot(tag: &str) -> u32 {
    u32::from(crc16(tag.as_bytes())) % SLOTS
}

/// CRC-16/XMODEM, as Redis Cluster uses it.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        (0..8).fold(
            crc ^ u16::from(*byte) << 8,
            |crc, _| {
                if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 }
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_redis() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!(slot("foo"), 12_182);
    }

    #[test]
    fn partitions_are_spread_over_three_servers() {
        let mut servers = [0; 3];
        for partition in 1..=8 {
            let slot = slot(&of_partition("tm", partition, 8));
            servers[(slot * 3 / SLOTS) as usize] += 1;
        }
        assert!(servers.iter().all(|partitions| *partitions <= 3), "{servers:?}");
    }
}
