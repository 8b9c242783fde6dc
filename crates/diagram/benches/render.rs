//! Measures the time to draw a model of 1,000 elements, with diagram interchange and without.

use criterion::{Criterion, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;
use tidemill_diagram::{Diagram, Overlays, Style};

/// A gateway, three branches of two tasks, one of them with a boundary event, and a join.
const NODES_PER_BLOCK: usize = 10;
const BLOCKS: usize = 100;

struct Model {
    elements: String,
    interchange: String,
}

impl Model {
    fn new() -> Model {
        let mut model = Model { elements: String::new(), interchange: String::new() };
        for block in 0..BLOCKS {
            model.block(block);
        }
        model
    }

    fn block(&mut self, block: usize) {
        let x = block as f64 * 600.0;
        let (split, join) = (format!("split{block}"), format!("join{block}"));
        self.node("exclusiveGateway", &split, "", (x, 100.0, 50.0, 50.0));
        self.node("exclusiveGateway", &join, "", (x + 500.0, 100.0, 50.0, 50.0));
        if block > 0 {
            self.flow(&format!("join{}", block - 1), &split, (x - 50.0, 125.0), (x, 125.0));
        }
        for branch in 0..3 {
            let y = f64::from(branch) * 110.0;
            let (first, second) = (format!("first{block}-{branch}"), format!("second{block}-{branch}"));
            self.node("serviceTask", &first, "", (x + 100.0, y, 100.0, 80.0));
            self.node("userTask", &second, "", (x + 300.0, y, 100.0, 80.0));
            self.flow(&split, &first, (x + 50.0, 125.0), (x + 100.0, y + 40.0));
            self.flow(&first, &second, (x + 200.0, y + 40.0), (x + 300.0, y + 40.0));
            self.flow(&second, &join, (x + 400.0, y + 40.0), (x + 500.0, 125.0));
        }
        let (late, told) = (format!("late{block}"), format!("told{block}"));
        let host = format!("attachedToRef=\"first{block}-2\"");
        self.node("boundaryEvent", &late, &host, (x + 160.0, 282.0, 36.0, 36.0));
        self.node("endEvent", &told, "", (x + 300.0, 340.0, 36.0, 36.0));
        self.flow(&late, &told, (x + 178.0, 318.0), (x + 300.0, 358.0));
    }

    fn node(&mut self, tag: &str, id: &str, more: &str, (x, y, width, height): (f64, f64, f64, f64)) {
        write!(self.elements, "<{tag} id=\"{id}\" name=\"The element {id}\" {more}/>").expect("a string");
        write!(
            self.interchange,
            "<di:BPMNShape bpmnElement=\"{id}\"><dc:Bounds x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\
             </di:BPMNShape>"
        )
        .expect("a string");
    }

    fn flow(&mut self, source: &str, target: &str, from: (f64, f64), to: (f64, f64)) {
        let id = format!("{source}-{target}");
        write!(self.elements, "<sequenceFlow id=\"{id}\" sourceRef=\"{source}\" targetRef=\"{target}\"/>")
            .expect("a string");
        let (x, y) = ((from.0 + to.0) / 2.0, (from.1, to.1));
        let points = [from, (x, y.0), (x, y.1), to];
        let points = points.map(|(x, y)| format!("<w:waypoint x=\"{x}\" y=\"{y}\"/>")).concat();
        write!(self.interchange, "<di:BPMNEdge bpmnElement=\"{id}\">{points}</di:BPMNEdge>")
            .expect("a string");
    }

    fn xml(&self, has_interchange: bool) -> String {
        let plane =
            format!("<di:BPMNDiagram><di:BPMNPlane>{}</di:BPMNPlane></di:BPMNDiagram>", self.interchange);
        format!(
            "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
             xmlns:di=\"http://www.omg.org/spec/BPMN/20100524/DI\" xmlns:dc=\"http://www.omg.org/spec/DD/20100524/DC\" \
             xmlns:w=\"http://www.omg.org/spec/DD/20100524/DI\"><process id=\"p\">{}</process>{}</definitions>",
            self.elements,
            if has_interchange { &plane } else { "" }
        )
    }
}

fn pictures(criterion: &mut Criterion) {
    let model = Model::new();
    let (placed, bare) = (model.xml(true), model.xml(false));
    let draw = |xml: &str| {
        let diagram = Diagram::read(xml).expect("the model can be drawn");
        assert_eq!(diagram.shapes().count(), BLOCKS * NODES_PER_BLOCK);
        diagram.to_svg(&Style::default(), &Overlays::default())
    };
    criterion.bench_function("1,000 elements with interchange, from XML to SVG", |b| {
        b.iter(|| draw(black_box(&placed)));
    });
    criterion.bench_function("1,000 elements without interchange, laid out, from XML to SVG", |b| {
        b.iter(|| draw(black_box(&bare)));
    });
    let diagram = Diagram::read(&placed).expect("the model can be drawn");
    criterion.bench_function("1,000 elements that were read before, to SVG", |b| {
        b.iter(|| black_box(&diagram).to_svg(&Style::default(), &Overlays::default()));
    });
}

criterion_group!(benches, pictures);
criterion_main!(benches);
