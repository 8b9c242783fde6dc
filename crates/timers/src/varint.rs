//! Whole numbers in as few bytes as they need, seven bits to a byte: in blocks, in ids, and in what timers carry.

pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front; none if the bytes end too soon, or if it is longer than 64 bits.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 63 && *byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Small negative numbers stay short.
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_overlong_ones_are_refused() {
        for value in [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put(&mut out, value);
            let mut rest = &out[..];
            assert_eq!((take(&mut rest), rest.len()), (Some(value), 0));
            assert_eq!(zigzag(unzigzag(value)), value);
        }
        assert_eq!((zigzag(-1), zigzag(1), zigzag(i64::MIN)), (1, 2, u64::MAX));
        let too_long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        for bytes in [&[0xff; 9][..], &[0xff; 11], &too_long] {
            assert_eq!(take(&mut &*bytes), None, "{bytes:?}");
        }
    }
}
