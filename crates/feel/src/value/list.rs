//! Lists: shared, immutable, one allocation.

use super::{Extent, Value};
use std::ops::Deref;
use triomphe::ThinArc;

#[derive(Clone)]
pub struct List(ThinArc<Extent, Value>);

impl List {
    pub fn new<I>(items: I) -> List
    where
        I: IntoIterator<Item = Value>,
        I::IntoIter: ExactSizeIterator,
        I::IntoIter: AsRef<[Value]>,
    {
        let items = items.into_iter();
        let extent = Extent::of(items.as_ref());
        List(ThinArc::from_header_and_iter(extent, items))
    }

    pub(crate) fn depth(&self) -> u32 {
        self.0.header.header.depth()
    }

    pub(crate) fn weight(&self) -> u64 {
        self.0.header.header.weight()
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List::new(items)
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> List {
        List::new(items.into_iter().collect::<Vec<_>>())
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.slice
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Debug for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
