//! A backtracking matcher for what no linear-time engine can do. It may take exponential time,
//! so it counts every instruction and lets the caller's budget end the search.

use regex_syntax::hir::ClassUnicode;

use super::node::{Assertion, Look, PatternNode, Repeat};
use super::{Match, PatternError};

/// Bounds what counted repetitions can expand to.
const INSTRUCTIONS_MAX: usize = 20_000;

/// Instructions between two charges.
const STEPS_PER_CHARGE: u64 = 64;

/// Slots that are copied for one step.
const SLOTS_PER_STEP: u64 = 16;

/// Bytes that are compared for one step.
const BYTES_PER_STEP: u64 = 64;

#[derive(Clone, Debug)]
pub(super) struct Program {
    code: Vec<Instruction>,
    slot_count: usize,
    group_count: usize,
}

#[derive(Clone, Debug)]
enum Instruction {
    Char(char),
    Class(ClassUnicode),
    Assertion(Assertion),
    /// Try the first target, later the second.
    Split(usize, usize),
    Jump(usize),
    /// Keep the position in a slot: ends of groups and starts of loop rounds.
    Save(usize),
    /// Begin the next round of a loop at the target, unless nothing was consumed since the slot was saved.
    Again {
        slot: usize,
        target: usize,
    },
    BackReference {
        group: usize,
        ignore_case: bool,
    },
    /// The body up to its `Accept` is matched by itself; then go on at the target.
    Atomic(usize),
    Look(Look, usize),
    Accept,
}

impl Program {
    pub(super) fn compile(node: &PatternNode, group_count: usize) -> Result<Self, PatternError> {
        let slot_count = 2 * (group_count + 1);
        let mut program = Self { code: Vec::new(), slot_count, group_count };
        program.emit(node)?;
        program.push(Instruction::Accept)?;
        Ok(program)
    }

    /// Bytes that the program takes, about.
    pub(super) fn memory_usage(&self) -> usize {
        let ranges = self.code.iter().map(|instruction| match instruction {
            Instruction::Class(class) => size_of_val(class.ranges()),
            _ => 0,
        });
        size_of_val(self.code.as_slice()) + ranges.sum::<usize>()
    }

    fn push(&mut self, instruction: Instruction) -> Result<usize, PatternError> {
        if self.code.len() >= INSTRUCTIONS_MAX {
            return Err(PatternError::TooLarge);
        }
        self.code.push(instruction);
        Ok(self.code.len() - 1)
    }

    fn emit(&mut self, node: &PatternNode) -> Result<(), PatternError> {
        match node {
            PatternNode::Empty => {}
            PatternNode::Char(letter) => drop(self.push(Instruction::Char(*letter))?),
            PatternNode::Class(class) => drop(self.push(Instruction::Class(class.clone()))?),
            PatternNode::Assertion(assertion) => drop(self.push(Instruction::Assertion(*assertion))?),
            PatternNode::Concat(nodes) => nodes.iter().try_for_each(|node| self.emit(node))?,
            PatternNode::Alternate(nodes) => self.emit_alternate(nodes)?,
            PatternNode::Group(inner, index) => {
                self.push(Instruction::Save(2 * index))?;
                self.emit(inner)?;
                self.push(Instruction::Save(2 * index + 1))?;
            }
            PatternNode::Atomic(inner) => self.emit_body(inner, Instruction::Atomic)?,
            PatternNode::Look(inner, look) => self.emit_body(inner, |end| Instruction::Look(*look, end))?,
            PatternNode::Repeat(inner, repeat) => self.emit_repeat(inner, *repeat)?,
            PatternNode::BackReference { group, ignore_case } => {
                self.push(Instruction::BackReference { group: *group, ignore_case: *ignore_case })?;
            }
        }
        Ok(())
    }

    fn emit_alternate(&mut self, nodes: &[PatternNode]) -> Result<(), PatternError> {
        let mut jumps = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.emit(node)?;
                break;
            }
            let split = self.push(Instruction::Split(0, 0))?;
            self.emit(node)?;
            jumps.push(self.push(Instruction::Jump(0))?);
            self.code[split] = Instruction::Split(split + 1, self.code.len());
        }
        let end = self.code.len();
        for jump in jumps {
            self.code[jump] = Instruction::Jump(end);
        }
        Ok(())
    }

    fn emit_body(
        &mut self,
        inner: &PatternNode,
        enter: impl FnOnce(usize) -> Instruction,
    ) -> Result<(), PatternError> {
        let start = self.push(Instruction::Accept)?;
        self.emit(inner)?;
        self.push(Instruction::Accept)?;
        self.code[start] = enter(self.code.len());
        Ok(())
    }

    fn emit_repeat(&mut self, inner: &PatternNode, repeat: Repeat) -> Result<(), PatternError> {
        for _ in 0..repeat.min {
            let before = self.code.len();
            self.emit(inner)?;
            if self.code.len() == before {
                // Nothing stays nothing, however often it is repeated.
                return Ok(());
            }
        }
        let Some(max) = repeat.max else {
            return self.emit_loop(inner, repeat.greedy);
        };
        let mut splits = Vec::new();
        for _ in repeat.min..max {
            splits.push(self.push(Instruction::Split(0, 0))?);
            self.emit(inner)?;
        }
        let end = self.code.len();
        for split in splits {
            self.code[split] = ordered_split(split + 1, end, repeat.greedy);
        }
        Ok(())
    }

    fn emit_loop(&mut self, inner: &PatternNode, greedy: bool) -> Result<(), PatternError> {
        let slot = self.slot_count;
        self.slot_count += 1;
        let split = self.push(Instruction::Split(0, 0))?;
        self.push(Instruction::Save(slot))?;
        self.emit(inner)?;
        self.push(Instruction::Again { slot, target: split })?;
        self.code[split] = ordered_split(split + 1, self.code.len(), greedy);
        Ok(())
    }

    pub(super) fn find_at<E>(
        &self,
        text: &str,
        start: usize,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Match>, E> {
        let mut run = Run { program: self, text, charge, steps: 0 };
        let mut at = start;
        loop {
            // A search that ends before the next charge is paid for too, with the slots that it needs.
            run.spend(1 + self.slot_count as u64 / SLOTS_PER_STEP)?;
            let slots = vec![None; self.slot_count];
            if let Some((end, slots)) = run.matches_at(0, at, slots)? {
                return Ok(Some(self.to_match(at, end, &slots)));
            }
            match text[at..].chars().next() {
                Some(letter) => at += letter.len_utf8(),
                None => return Ok(None),
            }
        }
    }

    fn to_match(&self, start: usize, end: usize, slots: &[Option<usize>]) -> Match {
        let mut groups = vec![Some(start..end)];
        groups.extend((1..=self.group_count).map(|group| group_range(slots, group)));
        Match { groups }
    }
}

fn ordered_split(body: usize, end: usize, greedy: bool) -> Instruction {
    if greedy { Instruction::Split(body, end) } else { Instruction::Split(end, body) }
}

fn group_range(slots: &[Option<usize>], group: usize) -> Option<std::ops::Range<usize>> {
    slots[2 * group].zip(slots[2 * group + 1]).map(|(start, end)| start..end)
}

type Slots = Vec<Option<usize>>;

/// One search over one text.
struct Run<'a, C> {
    program: &'a Program,
    text: &'a str,
    charge: &'a mut C,
    steps: u64,
}

/// The next thing to try when an attempt fails.
enum Resume {
    Try { pc: usize, at: usize },
    Restore { slot: usize, value: Option<usize> },
}

impl<E, C: FnMut(u64) -> Result<(), E>> Run<'_, C> {
    fn step(&mut self) -> Result<(), E> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_CHARGE) { self.spend(STEPS_PER_CHARGE) } else { Ok(()) }
    }

    fn spend(&mut self, steps: u64) -> Result<(), E> {
        (self.charge)(steps)
    }

    /// Matches a part by itself. It gets its own copy of the slots, which is paid for.
    fn part_at(&mut self, pc: usize, at: usize, slots: &Slots) -> Result<Option<(usize, Slots)>, E> {
        self.spend(1 + slots.len() as u64 / SLOTS_PER_STEP)?;
        self.matches_at(pc, at, slots.clone())
    }

    /// Matches from `pc` to its `Accept`; the recursion is as deep as the pattern nests.
    fn matches_at(
        &mut self,
        mut pc: usize,
        mut at: usize,
        mut slots: Slots,
    ) -> Result<Option<(usize, Slots)>, E> {
        let mut stack: Vec<Resume> = Vec::new();
        loop {
            self.step()?;
            let next = match &self.program.code[pc] {
                Instruction::Accept => return Ok(Some((at, slots))),
                Instruction::Jump(target) => Some((*target, at)),
                Instruction::Split(first, second) => {
                    stack.push(Resume::Try { pc: *second, at });
                    Some((*first, at))
                }
                Instruction::Save(slot) => {
                    stack.push(Resume::Restore { slot: *slot, value: slots[*slot] });
                    slots[*slot] = Some(at);
                    Some((pc + 1, at))
                }
                Instruction::Again { slot, .. } if slots[*slot] == Some(at) => Some((pc + 1, at)),
                Instruction::Again { target, .. } => Some((*target, at)),
                Instruction::Atomic(end) => {
                    let end = *end;
                    self.part_at(pc + 1, at, &slots)?.map(|(new_at, inner)| {
                        adopt(&mut slots, inner, &mut stack);
                        (end, new_at)
                    })
                }
                Instruction::Look(look, end) => {
                    let (look, end) = (*look, *end);
                    let found = self.look(pc + 1, at, look, &slots)?;
                    if let (Some(inner), false) = (&found, look.negated) {
                        adopt(&mut slots, inner.clone(), &mut stack);
                    }
                    (found.is_some() != look.negated).then_some((end, at))
                }
                Instruction::BackReference { group, .. } => {
                    let len = group_range(&slots, *group).map_or(0, |range| range.len());
                    self.spend(len as u64 / BYTES_PER_STEP)?;
                    self.consume(&self.program.code[pc], at, &slots).map(|new_at| (pc + 1, new_at))
                }
                simple => self.consume(simple, at, &slots).map(|new_at| (pc + 1, new_at)),
            };
            match next.or_else(|| resume(&mut stack, &mut slots)) {
                Some((new_pc, new_at)) => (pc, at) = (new_pc, new_at),
                None => return Ok(None),
            }
        }
    }

    fn look(&mut self, pc: usize, at: usize, look: Look, slots: &Slots) -> Result<Option<Slots>, E> {
        if look.ahead {
            return Ok(self.part_at(pc, at, slots)?.map(|(_, slots)| slots));
        }
        // Behind: the text up to here must end a match that begins somewhere before.
        let whole = self.text;
        let before = whole[..at].char_indices().rev().map(|(start, _)| start);
        for start in std::iter::once(at).chain(before) {
            self.text = &whole[..at];
            let found = self.part_at(pc, start, slots);
            self.text = whole;
            match found? {
                Some((end, slots)) if end == at => return Ok(Some(slots)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The position after a simple instruction, if it matches here.
    fn consume(&self, instruction: &Instruction, at: usize, slots: &Slots) -> Option<usize> {
        let rest = &self.text[at..];
        let letter = || rest.chars().next();
        match instruction {
            Instruction::Char(wanted) => {
                letter().filter(|letter| letter == wanted).map(|letter| at + letter.len_utf8())
            }
            Instruction::Class(class) => letter()
                .filter(|letter| super::class::contains(class, *letter))
                .map(|letter| at + letter.len_utf8()),
            Instruction::Assertion(assertion) => self.holds(*assertion, at).then_some(at),
            Instruction::BackReference { group, ignore_case } => {
                let wanted = &self.text[group_range(slots, *group)?];
                same_prefix(rest, wanted, *ignore_case).map(|len| at + len)
            }
            _ => unreachable!("control flow is handled by the caller"),
        }
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at..].chars().next();
        let is_word = |letter: Option<char>| letter.is_some_and(|l| l.is_alphanumeric() || l == '_');
        match assertion {
            Assertion::TextStart => before.is_none(),
            Assertion::TextEnd => after.is_none(),
            Assertion::LineStart => before.is_none_or(|letter| letter == '\n'),
            Assertion::LineEnd => after.is_none_or(|letter| letter == '\n'),
            Assertion::WordBoundary => is_word(before) != is_word(after),
            Assertion::NotWordBoundary => is_word(before) == is_word(after),
        }
    }
}

/// Takes over the groups that a self-contained part has set, so that backtracking undoes them.
fn adopt(slots: &mut Slots, inner: Slots, stack: &mut Vec<Resume>) {
    for (slot, value) in inner.into_iter().enumerate() {
        if slots[slot] != value {
            stack.push(Resume::Restore { slot, value: slots[slot] });
            slots[slot] = value;
        }
    }
}

fn resume(stack: &mut Vec<Resume>, slots: &mut Slots) -> Option<(usize, usize)> {
    loop {
        match stack.pop()? {
            Resume::Try { pc, at } => return Some((pc, at)),
            Resume::Restore { slot, value } => slots[slot] = value,
        }
    }
}

/// The length of the prefix of `text` that equals `wanted`.
fn same_prefix(text: &str, wanted: &str, ignore_case: bool) -> Option<usize> {
    if !ignore_case {
        return text.starts_with(wanted).then_some(wanted.len());
    }
    let mut letters = text.chars();
    for wanted_letter in wanted.chars() {
        let letter = letters.next()?;
        if !letter.to_lowercase().eq(wanted_letter.to_lowercase()) {
            return None;
        }
    }
    Some(text.len() - letters.as_str().len())
}
