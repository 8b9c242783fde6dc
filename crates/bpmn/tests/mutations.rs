//! Valid files are changed at random: reading each ends with a process that holds together, or with findings.

use proptest::prelude::*;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_bpmn::{Behavior, Process, Throw, read};

const FILES: [&str; 3] = [
    include_str!("files/order-fulfilment.bpmn"),
    include_str!("files/boat-loan.bpmn"),
    include_str!("files/harbour-tour.bpmn"),
];

/// One change; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Mutation {
    Byte {
        at: usize,
        to: u8,
    },
    Cut {
        from: usize,
        length: usize,
    },
    DropLine(usize),
    RepeatLine(usize),
    SwapLines(usize, usize),
    /// Gives one quoted text the contents of another.
    CopyValue {
        from: usize,
        to: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
}

const TAGS: [&str; 16] = [
    "startEvent",
    "endEvent",
    "intermediateCatchEvent",
    "intermediateThrowEvent",
    "boundaryEvent",
    "serviceTask",
    "userTask",
    "receiveTask",
    "subProcess",
    "callActivity",
    "exclusiveGateway",
    "inclusiveGateway",
    "eventBasedGateway",
    "messageEventDefinition",
    "timerEventDefinition",
    "errorEventDefinition",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, to)| Mutation::Byte { at, to }),
        (any::<usize>(), 1..200usize).prop_map(|(from, length)| Mutation::Cut { from, length }),
        any::<usize>().prop_map(Mutation::DropLine),
        any::<usize>().prop_map(Mutation::RepeatLine),
        any::<(usize, usize)>().prop_map(|(a, b)| Mutation::SwapLines(a, b)),
        any::<(usize, usize)>().prop_map(|(from, to)| Mutation::CopyValue { from, to }),
        any::<(usize, usize)>().prop_map(|(from, to)| Mutation::Rename { from, to }),
    ]
}

fn mutate(bytes: Vec<u8>, mutation: &Mutation) -> Vec<u8> {
    let by_lines = |change: &dyn Fn(&mut Vec<&[u8]>)| {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        if !lines.is_empty() {
            change(&mut lines);
        }
        lines.concat()
    };
    match mutation {
        Mutation::Byte { at, to } => {
            let mut bytes = bytes;
            let length = bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at % length) {
                *byte = *to;
            }
            bytes
        }
        Mutation::Cut { from, length } => {
            let from = from % (bytes.len() + 1);
            [&bytes[..from], &bytes[(from + length).min(bytes.len())..]].concat()
        }
        Mutation::DropLine(n) => by_lines(&|lines| {
            lines.remove(n % lines.len());
        }),
        Mutation::RepeatLine(n) => by_lines(&|lines| lines.insert(n % lines.len(), lines[n % lines.len()])),
        Mutation::SwapLines(a, b) => by_lines(&|lines| {
            let length = lines.len();
            lines.swap(a % length, b % length);
        }),
        Mutation::CopyValue { from, to } => copy_value(&bytes, *from, *to),
        Mutation::Rename { from, to } => {
            let (from, to) = (TAGS[from % TAGS.len()], TAGS[to % TAGS.len()]);
            String::from_utf8_lossy(&bytes).replace(&format!(":{from}"), &format!(":{to}")).into_bytes()
        }
    }
}

fn copy_value(bytes: &[u8], from: usize, to: usize) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = bytes.split(|byte| *byte == b'"').collect();
    let values = parts.len() / 2;
    if values > 0 {
        parts[2 * (to % values) + 1] = parts[2 * (from % values) + 1];
    }
    parts.join(&b'"')
}

/// Every index leads somewhere, and links, boundary events and flows stay in their scope.
fn check(process: &Process) {
    for element in process.elements() {
        assert_eq!(process.element_by_id(&element.id).map(|found| found.index), Some(element.index));
        element.scope.map(|scope| process.element(scope));
        for flow in &element.outgoing {
            assert_eq!(process.flow(*flow).source, element.index);
        }
        for flow in &element.incoming {
            assert_eq!(process.flow(*flow).target, element.index);
        }
        match &element.behavior {
            Behavior::Boundary { attached_to, .. } => {
                assert!(process.element(*attached_to).boundary_events.contains(&element.index));
            }
            Behavior::IntermediateThrow(Throw::Link { target }) => {
                assert_eq!(process.element(*target).scope, element.scope);
            }
            Behavior::EventBased { events } => assert!(events.len() >= 2),
            _ => {}
        }
    }
    for flow in process.flows() {
        assert_eq!(process.element(flow.source).scope, process.element(flow.target).scope);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_are_read_or_refused(
        file in 0..FILES.len(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let bytes = mutations.iter().fold(FILES[file].as_bytes().to_vec(), mutate);
        match read(&bytes) {
            Ok(document) => document.processes.iter().for_each(check),
            Err(findings) => prop_assert!(!findings.0.is_empty()),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
    }

    /// Text of any kind in any place is written by the builder so that it is read back.
    #[test]
    fn built_models_are_read_back(name in "\\PC{0,20}", id in "[a-z]{1,8}", value in "[^=\\x00-\\x1f]{1,20}") {
        let document = ModelBuilder::process("p")
            .start("s")
            .service_task(&format!("t_{id}"), |task| task.name(&name).job_type("x").header("k", &value))
            .catch_timer("c", Timer::duration("PT1S"))
            .end("e")
            .build();
        let task = &document.processes[0].elements()[2];
        prop_assert_eq!(task.name.as_deref().unwrap_or_default(), name);
        let expected = format!("{{\"k\":{}}}", tidemill_model::RawJson::string(&value));
        prop_assert_eq!(task.headers.as_ref().map(|headers| headers.as_str()), Some(expected.as_str()));
    }
}
