//! Rows as bytes that take less room. MessagePack with the names of fields can be read by later versions, but the names are most of
//! it, and the rows of one instance repeat its keys and times. So known words and repeated numbers become two or three bytes;
//! everything else stays as it is.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A byte that MessagePack never begins a value with. The next byte tells the word.
const WORD: u8 = 0xc1;
/// In place of a word: the next byte tells which of the numbers before it comes again.
const AGAIN: u8 = 0xff;
/// Numbers that are remembered: the first ones, because what an instance repeats comes early.
const REMEMBERED_MAX: usize = 64;
/// Texts up to this length have their length in the first byte.
const SHORT_TEXT_MAX: usize = 31;

/// New words go to the end: stored rows name them by their place.
const WORDS: &str = "\
    action assignee body business_id call_depth called candidate_groups candidate_users checksum \
    children completed content correlated_at correlated_to correlating correlation_key count created \
    created_at deadline definition deployed_at deployment due_at element element_id element_instance \
    ended_at error_code error_message expires_at external_form_reference flow flows flows_taken \
    follow_up_at form form_id gateway has_failed_with_retries_left has_start_form headers incident \
    incidents incidents_below instance interrupted interrupted_by interruption is_deleted is_done \
    is_exclusive is_interrupting is_recursive items job job_type jobs key kind last_event last_held \
    lease loop_counter message message_id message_name name origin parent payload priority process_id \
    progress purpose recursive_calls released repetitions reply resource_id resource_name retries root \
    schema scope signal_name start_lock started_at state stopped_timer subscription tags target \
    target_id tenant terminate_after terminated total updated_at user_task value variables version \
    version_tag waiting waits_for_busy waits_for_clock worker xml ProcessInstance ElementInstance \
    Variable Job UserTask Incident MessageSubscription SignalSubscription LoopInput LoopOutput Timer \
    Message BoxSubscription MessageStartLock JobLease StartSubscription ProcessDefinition ProcessXml \
    Form Resource MessageCorrelation <default> Activating Activated Completing Completed Terminating \
    Terminated Created Waiting Active Failed BpmnElement Catch JobBackoff Start MessageExpiry PROCESS \
    SUB_PROCESS EVENT_SUB_PROCESS AD_HOC_SUB_PROCESS AD_HOC_SUB_PROCESS_INNER_INSTANCE START_EVENT \
    INTERMEDIATE_CATCH_EVENT INTERMEDIATE_THROW_EVENT BOUNDARY_EVENT END_EVENT SERVICE_TASK RECEIVE_TASK \
    USER_TASK MANUAL_TASK TASK EXCLUSIVE_GATEWAY INCLUSIVE_GATEWAY PARALLEL_GATEWAY EVENT_BASED_GATEWAY \
    MULTI_INSTANCE_BODY CALL_ACTIVITY BUSINESS_RULE_TASK SCRIPT_TASK SEND_TASK";

static LIST: LazyLock<Vec<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

static CODES: LazyLock<HashMap<&'static [u8], u8>> = LazyLock::new(|| {
    let codes = LIST.iter().zip(0..AGAIN);
    codes.map(|(word, code)| (word.as_bytes(), code)).collect()
});

/// The bytes of one value; of a list or a map its head only, because what is in it follows as values of their own.
fn length(bytes: &[u8]) -> Option<usize> {
    let number = |count: usize| {
        let digits = bytes.get(1..=count)?;
        Some(digits.iter().fold(0, |number, digit| number << 8 | usize::from(*digit)))
    };
    let length = match bytes.first()? {
        0xa0..=0xbf => 1 + usize::from(bytes[0] & 0x1f),
        0xc4 | 0xd9 => 2 + number(1)?,
        0xc5 | 0xda => 3 + number(2)?,
        0xc6 | 0xdb => 5 + number(4)?,
        0xc7 => 3 + number(1)?,
        0xc8 => 4 + number(2)?,
        0xc9 => 6 + number(4)?,
        0xcc | 0xd0 => 2,
        0xcd | 0xd1 | 0xd4 | 0xdc | 0xde => 3,
        0xd5 => 4,
        0xca | 0xce | 0xd2 | 0xdd | 0xdf => 5,
        0xd6 => 6,
        0xcb | 0xcf | 0xd3 => 9,
        0xd7 => 10,
        0xd8 => 18,
        _ => 1,
    };
    (length <= bytes.len()).then_some(length)
}

fn is_long_number(value: &[u8]) -> bool {
    matches!(value[0], 0xcf | 0xd3)
}

/// The text of a value that is one.
fn text(value: &[u8]) -> Option<&[u8]> {
    match value[0] {
        0xa0..=0xbf => Some(&value[1..]),
        0xd9 => Some(&value[2..]),
        _ => None,
    }
}

pub(crate) fn compact(plain: &[u8]) -> Vec<u8> {
    let (mut bytes, mut numbers, mut rest) = (Vec::with_capacity(plain.len() / 2), Vec::new(), plain);
    while !rest.is_empty() {
        let (value, behind) = rest.split_at(length(rest).unwrap_or(rest.len()));
        rest = behind;
        if let Some(code) = text(value).and_then(|text| CODES.get(text)) {
            bytes.extend([WORD, *code]);
            continue;
        }
        if is_long_number(value) {
            if let Some(place) = numbers.iter().position(|known| *known == value) {
                bytes.extend([WORD, AGAIN, place as u8]);
                continue;
            }
            if numbers.len() < REMEMBERED_MAX {
                numbers.push(value);
            }
        }
        bytes.extend(value);
    }
    bytes
}

/// None for bytes that `compact` has not made.
pub(crate) fn expand(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut plain, mut numbers, mut rest) = (Vec::with_capacity(bytes.len() * 2), Vec::new(), bytes);
    while let Some(first) = rest.first() {
        if *first != WORD {
            let (value, behind) = rest.split_at(length(rest)?);
            rest = behind;
            if is_long_number(value) && numbers.len() < REMEMBERED_MAX {
                numbers.push(value);
            }
            plain.extend(value);
            continue;
        }
        match *rest.get(1)? {
            AGAIN => {
                plain.extend(*numbers.get(usize::from(*rest.get(2)?))?);
                rest = &rest[3..];
            }
            code => {
                let word = LIST.get(usize::from(code))?.as_bytes();
                match word.len() {
                    short @ ..=SHORT_TEXT_MAX => plain.push(0xa0 | short as u8),
                    long => plain.extend([0xd9, long as u8]),
                }
                plain.extend(word);
                rest = &rest[2..];
            }
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_place_each() {
        assert_eq!(CODES.len(), LIST.len());
        assert!(LIST.len() < usize::from(AGAIN) && LIST.iter().all(|word| word.len() < 256));
    }

    #[test]
    fn every_kind_of_value_comes_back() {
        let long = [&[0xd9, 33][..], b"AD_HOC_SUB_PROCESS_INNER_INSTANCE"].concat();
        let number = [0xcf, 1, 2, 3, 4, 5, 6, 7, 8];
        let values: [&[u8]; 16] = [
            &[0x82],
            &[0xa3, b'k', b'e', b'y'],
            &number,
            &[0xa4, b'k', b'e', b'y', b's'],
            &number,
            &[0xc4, 2, WORD, WORD],
            &[0xc1 ^ 0x01],
            &[0xcd, WORD, 1],
            &[0xd3, WORD, AGAIN, 0, 0, 0, 0, 0, 0],
            &[0xcb, WORD, WORD, 0, 0, 0, 0, 0, 0],
            &long,
            &[0xda, 0, 3, b'k', b'e', b'y'],
            &[0xdc, 0, 1],
            &[0xde, 0, 1],
            &[0xc7, 1, 5, WORD],
            &[0xe0],
        ];
        let plain = values.concat();
        let small = compact(&plain);
        assert_eq!(expand(&small).as_deref(), Some(plain.as_slice()));
        assert!(small.len() < plain.len() - 30, "{} of {}", small.len(), plain.len());
        assert_eq!(expand(&plain).as_deref(), Some(plain.as_slice()), "what has no words stays as it is");
    }

    #[test]
    fn many_numbers_come_back() {
        let numbers: Vec<u8> = (0..300_u64)
            .chain(0..300)
            .flat_map(|number| [&[0xcf][..], &(number << 40 | 7).to_be_bytes()].concat())
            .collect();
        assert_eq!(expand(&compact(&numbers)), Some(numbers));
    }

    #[test]
    fn damaged_bytes_are_noticed() {
        for bytes in
            [&[WORD][..], &[WORD, 0xfe], &[WORD, AGAIN], &[WORD, AGAIN, 0], &[0xa5, b'x'], &[0xcf, 1]]
        {
            assert_eq!(expand(bytes), None, "{bytes:?}");
        }
    }
}
