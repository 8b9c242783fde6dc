//! Contexts: entries in the order in which they were written. Contexts with the same keys share one `Shape`, so
//! that a list of a thousand like objects holds their keys once, and a lookup can remember its place.

use super::{Extent, Text, Value};
use std::sync::Arc;
use triomphe::ThinArc;

/// From this many keys on, a shape keeps a sorted index beside the keys.
const INDEXED_FROM: usize = 12;

/// The keys of a context, in order, each once.
#[derive(Debug)]
pub(crate) struct Shape {
    /// With what room they were collected in: giving it back costs more than it is worth.
    keys: Vec<Text>,
    /// Places of the keys in sorted order; empty for small shapes.
    sorted: Box<[u32]>,
    /// No key has a backslash: in JSON, all of them may stand as they are.
    plain: bool,
    /// The context was read as JSON, and goes on as it was written.
    is_read: bool,
    /// The part of a context's weight that its keys make.
    weight: u64,
}

pub(crate) type ShapeRef = Arc<Shape>;

impl Shape {
    /// `keys` must be without duplicates.
    pub(crate) fn new(keys: Vec<Text>) -> ShapeRef {
        Shape::make(keys, false)
    }

    /// The same for a context that is read as JSON.
    pub(crate) fn read(keys: Vec<Text>) -> ShapeRef {
        Shape::make(keys, true)
    }

    fn make(keys: Vec<Text>, is_read: bool) -> ShapeRef {
        let mut sorted = Vec::new();
        if keys.len() >= INDEXED_FROM {
            sorted = (0..keys.len() as u32).collect();
            sorted.sort_unstable_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
        }
        let plain = keys.iter().all(|key| !key.contains('\\'));
        let weight = keys.iter().map(|key| key.len() as u64 + 8).sum();
        Arc::new(Shape { keys, sorted: sorted.into(), plain, is_read, weight })
    }

    pub(crate) fn keys(&self) -> &[Text] {
        &self.keys
    }

    pub(crate) fn is_read(&self) -> bool {
        self.is_read
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    #[inline]
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.keys.iter().position(|candidate| candidate == key);
        }
        let found = self.sorted.binary_search_by(|place| self.keys[*place as usize].as_str().cmp(key));
        found.ok().map(|place| self.sorted[place] as usize)
    }
}

#[derive(Debug)]
struct Header {
    shape: ShapeRef,
    extent: Extent,
}

#[derive(Clone)]
pub struct Context(ThinArc<Header, Value>);

impl Context {
    pub fn empty() -> Context {
        ContextBuilder::default().build()
    }

    /// `values` in the order of the shape's keys.
    pub(crate) fn with_shape<I>(shape: ShapeRef, values: I) -> Context
    where
        I: ExactSizeIterator<Item = Value> + AsRef<[Value]>,
    {
        let extent = Extent::of(values.as_ref());
        Context::with_extent(shape, extent, values)
    }

    /// `values` in the order of the shape's keys, of known extent.
    pub(crate) fn with_extent(
        shape: ShapeRef,
        mut extent: Extent,
        values: impl ExactSizeIterator<Item = Value>,
    ) -> Context {
        debug_assert_eq!(shape.keys.len(), values.len(), "a value for each key");
        extent.weight = extent.weight.saturating_add(shape.weight);
        Context(ThinArc::from_header_and_iter(Header { shape, extent }, values))
    }

    pub(crate) fn shape(&self) -> &ShapeRef {
        &self.0.header.header.shape
    }

    pub fn len(&self) -> usize {
        self.0.slice.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.shape().position(key).map(|place| &self.0.slice[place])
    }

    #[inline]
    pub(crate) fn value_at(&self, place: usize) -> Option<&Value> {
        self.0.slice.get(place)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.shape().position(key).is_some()
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.shape().keys.iter()
    }

    pub fn values(&self) -> &[Value] {
        &self.0.slice
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> {
        self.shape().keys.iter().zip(self.0.slice.iter())
    }

    /// A builder that starts with these entries.
    pub fn to_builder(&self) -> ContextBuilder {
        let mut builder = ContextBuilder::default();
        for (key, value) in self.iter() {
            builder.put(key.clone(), value.clone());
        }
        builder
    }

    pub(crate) fn depth(&self) -> u32 {
        self.0.header.header.extent.depth()
    }

    pub(crate) fn weight(&self) -> u64 {
        self.0.header.header.extent.weight()
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Context {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Context {
        let mut builder = ContextBuilder::default();
        for (key, value) in entries {
            builder.put(key, value);
        }
        builder.build()
    }
}

/// Collects entries; a key put again keeps its place and takes the new value.
#[derive(Default)]
pub struct ContextBuilder {
    keys: Vec<Text>,
    values: Vec<Value>,
    /// Where each key stands, once there are many.
    places: std::collections::BTreeMap<Text, usize>,
}

impl ContextBuilder {
    pub fn put(&mut self, key: impl Into<Text>, value: impl Into<Value>) {
        let key = key.into();
        match self.position(&key) {
            Some(place) => self.values[place] = value.into(),
            None => {
                self.keys.push(key);
                self.values.push(value.into());
            }
        }
    }

    pub fn get(&mut self, key: &str) -> Option<&Value> {
        self.position(key).map(|place| &self.values[place])
    }

    fn position(&mut self, key: &str) -> Option<usize> {
        if self.keys.len() < INDEXED_FROM {
            return self.keys.iter().position(|candidate| candidate == key);
        }
        for place in self.places.len()..self.keys.len() {
            self.places.insert(self.keys[place].clone(), place);
        }
        self.places.get(key).copied()
    }

    pub fn build(self) -> Context {
        Context::with_shape(Shape::new(self.keys), self.values.into_iter())
    }
}
