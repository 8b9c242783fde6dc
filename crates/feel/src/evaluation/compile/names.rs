//! Names get their meaning at compile time: a slot, an entry of a filtered item, or a variable of the caller.

use crate::evaluation::program::{Member, ProgramNode, Slot};
use crate::expression::VariableRef;
use crate::value::Text;

/// One function body (or the whole expression), with its blocks of names.
#[derive(Default)]
pub(super) struct Frame {
    blocks: Vec<Block>,
    next: Slot,
    pub(super) size: u32,
    /// Names taken from outside: the name, its slot here, its node outside.
    pub(super) captures: Vec<(Text, Slot, ProgramNode)>,
    /// The name under which the function may call itself, and the slot if it does.
    pub(super) itself: Option<(Text, Option<Slot>)>,
}

enum Block {
    Names(Vec<(Text, Slot)>),
    /// The item of a filter, whose entries are names.
    Item(Slot),
    /// `partial` of a `for`, and whether it was read.
    Partial(Slot, bool),
}

/// The input of unary tests.
pub(super) const INPUT: &str = "?";

#[derive(Default)]
pub(super) struct Names {
    frames: Vec<Frame>,
    pub(super) globals: Vec<Text>,
    pub(super) uses: Vec<VariableRef>,
    whole: Vec<bool>,
    /// How often `?` was resolved: tells whether a test reads its input.
    pub(super) input_reads: usize,
}

impl Names {
    pub(super) fn enter_frame(&mut self) {
        self.frames.push(Frame::default());
    }

    pub(super) fn leave_frame(&mut self) -> Frame {
        self.frames.pop().expect("every frame that is left was entered")
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("compilation starts with a frame")
    }

    pub(super) fn new_slot(&mut self) -> Slot {
        let frame = self.frame();
        let slot = frame.next;
        frame.next += 1;
        frame.size = frame.size.max(frame.next);
        slot
    }

    /// Slots handed out since are free again.
    pub(super) fn mark(&mut self) -> Slot {
        self.frame().next
    }

    pub(super) fn release(&mut self, mark: Slot) {
        // Captured values keep their slots for the whole body.
        let frame = self.frame();
        let pinned = frame.captures.iter().map(|(_, slot, _)| slot + 1).max().unwrap_or(0);
        let itself = frame.itself.as_ref().and_then(|(_, slot)| *slot).map_or(0, |slot| slot + 1);
        frame.next = mark.max(pinned).max(itself);
    }

    pub(super) fn open_names(&mut self) {
        self.frame().blocks.push(Block::Names(Vec::new()));
    }

    pub(super) fn open_item(&mut self, slot: Slot) {
        self.frame().blocks.push(Block::Item(slot));
    }

    pub(super) fn open_partial(&mut self, slot: Slot) {
        self.frame().blocks.push(Block::Partial(slot, false));
    }

    /// Ends a block; tells whether it was a `partial` that was read.
    pub(super) fn close(&mut self) -> bool {
        matches!(self.frame().blocks.pop(), Some(Block::Partial(_, true)))
    }

    pub(super) fn declare(&mut self, name: Text, slot: Slot) {
        match self.frame().blocks.last_mut() {
            Some(Block::Names(names)) => names.push((name, slot)),
            _ => unreachable!("names are declared in a block of names"),
        }
    }

    /// True if an enclosing construct declares the name, so that it is not a built-in here.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.frames.iter().any(|frame| {
            frame.itself.as_ref().is_some_and(|(itself, _)| itself == name)
                || frame.blocks.iter().any(|block| match block {
                    Block::Names(names) => names.iter().any(|(declared, _)| declared == name),
                    Block::Item(_) | Block::Partial(..) => false,
                })
        })
    }

    /// The meaning of the name at this place. `segment` is the path segment that follows it, if one does.
    pub(super) fn resolve(&mut self, name: &Text, segment: Option<&Text>) -> ProgramNode {
        if name == INPUT {
            self.input_reads += 1;
        }
        let innermost = self.frames.len() - 1;
        self.resolve_in(innermost, name, segment)
    }

    fn resolve_in(&mut self, frame: usize, name: &Text, segment: Option<&Text>) -> ProgramNode {
        let (items, slot) = self.search(frame, name);
        let outside = match slot {
            Some(slot) => ProgramNode::Local(slot),
            None if frame > 0 => self.capture(frame, name, segment),
            None => self.global(name, segment),
        };
        if items.is_empty() {
            return outside;
        }
        ProgramNode::Member(Member { name: name.clone(), items: items.into(), outside }.into())
    }

    fn search(&mut self, frame: usize, name: &Text) -> (Vec<Slot>, Option<Slot>) {
        let mut items = Vec::new();
        for block in self.frames[frame].blocks.iter_mut().rev() {
            match block {
                Block::Names(names) => {
                    if let Some((_, slot)) = names.iter().rev().find(|(declared, _)| declared == name) {
                        return (items, Some(*slot));
                    }
                }
                // An entry of the item that is called `item` comes before the item itself.
                Block::Item(slot) if name == "item" => {
                    items.push(*slot);
                    return (items, Some(*slot));
                }
                Block::Item(slot) if name != INPUT => items.push(*slot),
                Block::Item(_) => {}
                Block::Partial(slot, read) => {
                    if name == "partial" {
                        *read = true;
                        return (items, Some(*slot));
                    }
                }
            }
        }
        (items, None)
    }

    fn capture(&mut self, frame: usize, name: &Text, segment: Option<&Text>) -> ProgramNode {
        let this = &self.frames[frame];
        if let Some((_, slot, _)) = this.captures.iter().find(|(captured, ..)| captured == name) {
            return ProgramNode::Local(*slot);
        }
        if this.itself.as_ref().is_some_and(|(itself, _)| itself == name) {
            return ProgramNode::Local(self.itself_slot(frame));
        }
        let outside = self.resolve_in(frame - 1, name, segment);
        let this = &mut self.frames[frame];
        let slot = this.size;
        this.size += 1;
        this.next = this.next.max(this.size);
        this.captures.push((name.clone(), slot, outside));
        ProgramNode::Local(slot)
    }

    fn itself_slot(&mut self, frame: usize) -> Slot {
        let this = &mut self.frames[frame];
        let (_, slot) = this.itself.as_mut().expect("only asked for where the name matches");
        *slot.get_or_insert_with(|| {
            this.size += 1;
            this.next = this.next.max(this.size);
            this.size - 1
        })
    }

    fn global(&mut self, name: &Text, segment: Option<&Text>) -> ProgramNode {
        let index = match self.globals.iter().position(|global| global == name) {
            Some(index) => index,
            None => {
                self.globals.push(name.clone());
                self.uses.push(VariableRef { name: name.to_string(), segments: Vec::new() });
                self.whole.push(false);
                self.globals.len() - 1
            }
        };
        let segments = &mut self.uses[index].segments;
        match segment {
            Some(_) if self.whole[index] => {}
            Some(segment) if segments.iter().any(|known| known == segment.as_str()) => {}
            Some(segment) => segments.push(segment.to_string()),
            None => {
                self.whole[index] = true;
                segments.clear();
            }
        }
        ProgramNode::Global(index as u32)
    }
}
