//! The shapes of the API as data: one description per operation, in the `.api` files beside this one. It
//! drives the routes, the OpenAPI document, the diagnosis of bad bodies and the check of answers.

mod answers;
pub(crate) mod check;
mod parse;

pub use answers::answer_misfit;

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Everything the API consists of.
pub(crate) struct Api {
    pub(crate) operations: Vec<Operation>,
    pub(crate) types: BTreeMap<&'static str, Definition>,
}

pub(crate) struct Operation {
    pub(crate) method: &'static str,
    /// Relative to the base path, with parameters in braces.
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) query: Vec<Field>,
    pub(crate) request: Request,
    pub(crate) answers: Vec<Answer>,
    /// The resource group: the name of the file that describes it.
    pub(crate) group: &'static str,
}

impl Operation {
    /// The names of the path's parameters, in order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Known to clients, but not offered here.
    pub(crate) fn is_offered(&self) -> bool {
        !self.answers.is_empty()
    }
}

pub(crate) enum Request {
    None,
    Multipart,
    Body { shape: Type, is_required: bool },
    Search(Search),
}

impl Request {
    /// True if there must be a body of JSON.
    pub(crate) fn is_required(&self) -> bool {
        match self {
            Request::Body { is_required, .. } => *is_required,
            Request::Search(search) => search.is_required,
            Request::None | Request::Multipart => false,
        }
    }
}

/// The body of a search: `{filter, sort, page}`.
pub(crate) struct Search {
    pub(crate) is_required: bool,
    pub(crate) page: PageKind,
    /// The object that describes the filter; none where there is nothing to filter.
    pub(crate) filter: Option<&'static str>,
    pub(crate) sort: Vec<&'static str>,
}

/// Which members a page may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PageKind {
    /// By offset or by cursor in either direction.
    Full,
    Offset,
    Forward,
}

impl PageKind {
    pub(crate) fn members(self) -> &'static [&'static str] {
        match self {
            PageKind::Full => &["from", "after", "before", "limit"],
            PageKind::Offset => &["from", "limit"],
            PageKind::Forward => &["after", "limit"],
        }
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Empty,
    Json(Type),
    /// A page of search results.
    Page(Type),
    /// Anything else, by its media type.
    Other(&'static str),
}

pub(crate) enum Definition {
    Object(Vec<Field>),
    Enum(Vec<&'static str>),
}

pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Type,
    pub(crate) is_required: bool,
    pub(crate) is_nullable: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    String,
    /// A 64-bit number as a string of digits.
    Key,
    Int32,
    Int64,
    Boolean,
    DateTime,
    /// An object with members of any name.
    Map,
    Any,
    List(Box<Type>),
    Enum(Vec<&'static str>),
    Named(&'static str),
    /// A value, or an object of operators on it.
    Filter(Box<Type>),
    /// The `$or` of a filter: a list of the filter's own kind.
    Or,
}

impl Api {
    pub(crate) fn get() -> &'static Api {
        static API: OnceLock<Api> = OnceLock::new();
        API.get_or_init(|| parse::parse(SOURCES))
    }

    pub(crate) fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    pub(crate) fn object(&self, name: &str) -> &[Field] {
        match self.types.get(name) {
            Some(Definition::Object(fields)) => fields,
            _ => &[],
        }
    }

    /// The words of an enum, whether it has a name or not.
    pub(crate) fn words<'a>(&'a self, shape: &'a Type) -> Option<&'a [&'static str]> {
        match shape {
            Type::Enum(words) => Some(words),
            Type::Named(name) => match self.types.get(name) {
                Some(Definition::Enum(words)) => Some(words),
                _ => None,
            },
            _ => None,
        }
    }
}

const SOURCES: &[(&str, &str)] = &[
    ("Resources", include_str!("resources.api")),
    ("Process definitions", include_str!("process_definitions.api")),
    ("Process instances", include_str!("process_instances.api")),
    ("Element instances", include_str!("element_instances.api")),
    ("Jobs", include_str!("jobs.api")),
    ("User tasks", include_str!("user_tasks.api")),
    ("Variables", include_str!("variables.api")),
    ("Messages and signals", include_str!("messages.api")),
    ("Incidents", include_str!("incidents.api")),
    ("System", include_str!("system.api")),
    ("Not offered", include_str!("not_offered.api")),
];
