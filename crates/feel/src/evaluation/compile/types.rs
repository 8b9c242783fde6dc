//! Types that a model declares, put in place of their names.

use super::Compiler;
use crate::syntax::ast::Type;
use crate::syntax::parse_type;

/// How deep declared types may name each other, and how often one expression may spell one out. Beyond that they
/// are `Any`, so that types that contain each other end.
const DEPTH_MAX: u32 = 16;
pub(super) const SPELLED_OUT_MAX: u32 = 1_000;

impl Compiler<'_> {
    /// The type with every declared name spelled out. A name that is not declared stays.
    pub(super) fn resolved(&self, kind: &Type) -> Type {
        self.resolved_at(kind, 0)
    }

    fn resolved_at(&self, kind: &Type, depth: u32) -> Type {
        let inner = |kind: &Type| self.resolved_at(kind, depth);
        match kind {
            Type::Named(name) => self.declared(name, depth).unwrap_or_else(|| kind.clone()),
            Type::List(Some(item)) => Type::List(Some(inner(item).into())),
            Type::Range(Some(item)) => Type::Range(Some(inner(item).into())),
            Type::Context(entries) => {
                Type::Context(entries.iter().map(|(name, kind)| (name.clone(), inner(kind))).collect())
            }
            Type::Function(Some((parameters, result))) => {
                Type::Function(Some((parameters.iter().map(inner).collect(), inner(result).into())))
            }
            simple => simple.clone(),
        }
    }

    fn declared(&self, name: &str, depth: u32) -> Option<Type> {
        let (_, text) = self.options.known_types.iter().find(|(declared, _)| declared == name)?;
        let left = self.types_left.get();
        if depth == DEPTH_MAX || left == 0 {
            return Some(Type::Any);
        }
        self.types_left.set(left - 1);
        let kind = parse_type(text, self.options).ok()?;
        Some(self.resolved_at(&kind, depth + 1))
    }
}
