//! Elements that are connected at random, as no process would be: loops in loops, flows from an element to itself, many
//! between the same two, lanes in any order, notes on everything. The same must hold as for real models.

mod places;

use std::fmt::Write;
use tidemill_diagram::Diagram;
use tidemill_model::dice::Dice;

const GRAPHS: u64 = 1500;
const NODES_MAX: usize = 24;

#[test]
fn layouts_of_random_graphs_are_sound() {
    for seed in 0..GRAPHS {
        let xml = graph(&mut Dice::new(seed));
        let diagram = Diagram::read(&xml).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{xml}"));
        let faults = places::faults(&diagram, &xml);
        // Associations are straight, so they may go through anything.
        let faults: Vec<String> =
            faults.into_iter().filter(|fault| !fault.starts_with("association")).collect();
        assert!(faults.is_empty(), "seed {seed}: {faults:#?}\n{xml}");
    }
}

fn graph(dice: &mut Dice) -> String {
    let count = 1 + dice.index(NODES_MAX);
    let (mut nodes, mut sources) = (String::new(), Vec::new());
    for n in 0..count {
        let name = if dice.percent(50) { "Some longer name" } else { "" };
        let tag = dice.pick(&[
            "task",
            "userTask",
            "exclusiveGateway",
            "startEvent",
            "endEvent",
            "strange",
            "callActivity",
        ]);
        write!(nodes, "<bpmn:{tag} id=\"n{n}\" name=\"{name}\"/>").expect("a string");
        sources.push(format!("n{n}"));
        for event in 0..if tag.ends_with("ask") { dice.index(3) } else { 0 } {
            let id = format!("b{n}-{event}");
            write!(nodes, "<bpmn:boundaryEvent id=\"{id}\" name=\"{name}\" attachedToRef=\"n{n}\"/>")
                .expect("a string");
            sources.push(id);
        }
    }
    for flow in 0..dice.index(2 * count + 1) {
        let (source, target, name) =
            (dice.pick(&sources), dice.index(count), dice.pick(&["", "yes", "otherwise"]));
        write!(
            nodes,
            "<bpmn:sequenceFlow id=\"f{flow}\" name=\"{name}\" sourceRef=\"{source}\" targetRef=\"n{target}\"/>"
        )
        .expect("a string");
    }
    for note in 0..dice.index(4) {
        let target = dice.pick(&sources);
        write!(
            nodes,
            "<bpmn:textAnnotation id=\"note{note}\"><bpmn:text>A note</bpmn:text></bpmn:textAnnotation>\
             <bpmn:association id=\"association{note}\" sourceRef=\"{target}\" targetRef=\"note{note}\"/>"
        )
        .expect("a string");
    }
    let lanes = if dice.percent(40) { lanes(dice, count) } else { String::new() };
    format!(
        "<bpmn:definitions xmlns:bpmn=\"http://www.omg.org/spec/BPMN/20100524/MODEL\">\
         <bpmn:process id=\"p\">{lanes}{nodes}</bpmn:process></bpmn:definitions>"
    )
}

fn lanes(dice: &mut Dice, nodes: usize) -> String {
    let count = 1 + dice.index(4);
    let mut members = vec![String::new(); count];
    for node in (0..nodes).filter(|_| dice.percent(90)).collect::<Vec<_>>() {
        write!(members[dice.index(count)], "<bpmn:flowNodeRef>n{node}</bpmn:flowNodeRef>").expect("a string");
    }
    let lanes = members
        .iter()
        .enumerate()
        .map(|(n, members)| format!("<bpmn:lane id=\"l{n}\">{members}</bpmn:lane>"));
    format!("<bpmn:laneSet>{}</bpmn:laneSet>", lanes.collect::<String>())
}
