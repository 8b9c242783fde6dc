//! Names of types, as they follow `instance of` and stand at parameters.

use super::{Parsed, Parser};
use crate::syntax::ast::Type;
use crate::syntax::lexer::{Kind, Symbol, is_name_part, skip_blank};
use crate::value::Text;

/// Types without parameters; the longer of two with the same start comes first.
const SIMPLE: [(&str, Type); 18] = [
    ("days and time duration", Type::DaysDuration),
    ("day-time-duration", Type::DaysDuration),
    ("dayTimeDuration", Type::DaysDuration),
    ("years and months duration", Type::MonthsDuration),
    ("year-month-duration", Type::MonthsDuration),
    ("yearMonthDuration", Type::MonthsDuration),
    ("date and time", Type::DateTime),
    ("date time", Type::DateTime),
    ("dateTime", Type::DateTime),
    ("date", Type::Date),
    ("time", Type::Time),
    ("boolean", Type::Boolean),
    ("number", Type::Number),
    ("string", Type::String),
    ("Any", Type::Any),
    ("any", Type::Any),
    ("Null", Type::Null),
    ("null", Type::Null),
];

impl Parser<'_> {
    pub(super) fn type_name(&mut self) -> Parsed<Type> {
        for (name, kind) in SIMPLE {
            if let Some(end) = self.type_words(name) {
                self.go_to(end)?;
                return Ok(kind);
            }
        }
        if self.token.kind != Kind::Name {
            return self.fail("a type");
        }
        match self.slice(self.token) {
            "list" => Ok(Type::List(self.item_type()?)),
            "range" => Ok(Type::Range(self.item_type()?)),
            "context" => self.context_type(),
            "function" => self.function_type(),
            _ => self.declared_type(),
        }
    }

    fn type_words(&self, name: &str) -> Option<usize> {
        let mut position = self.token.start;
        for (index, word) in name.split(' ').enumerate() {
            if index > 0 {
                position = skip_blank(self.text, position);
            }
            position += self.text[position..].starts_with(word).then_some(word.len())?;
            if self.text[position..].chars().next().is_some_and(is_name_part) {
                return None;
            }
        }
        Some(position)
    }

    /// `<type>` after `list` or `range`.
    fn item_type(&mut self) -> Parsed<Option<Box<Type>>> {
        self.advance()?;
        if !self.accept(Symbol::Less)? {
            return Ok(None);
        }
        let item = self.nested(Self::type_name)?;
        self.close_angle()?;
        Ok(Some(item.into()))
    }

    fn context_type(&mut self) -> Parsed<Type> {
        self.advance()?;
        let mut entries = Vec::new();
        if !self.accept(Symbol::Less)? {
            return Ok(Type::Context(entries));
        }
        while !self.at(Symbol::Greater) {
            let name = self.declared_name("")?;
            self.expect(Symbol::Colon, "':'")?;
            entries.push((name, self.nested(Self::type_name)?));
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.close_angle()?;
        Ok(Type::Context(entries))
    }

    fn function_type(&mut self) -> Parsed<Type> {
        self.advance()?;
        if !self.accept(Symbol::Less)? {
            return Ok(Type::Function(None));
        }
        let mut parameters = Vec::new();
        while !self.at(Symbol::Greater) {
            parameters.push(self.nested(Self::type_name)?);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.close_angle()?;
        self.expect(Symbol::Arrow, "'->'")?;
        let result = self.nested(Self::type_name)?;
        Ok(Type::Function(Some((parameters, result.into()))))
    }

    /// The closing `>`, also where the lexer took `>=` together.
    fn close_angle(&mut self) -> Parsed<()> {
        if self.at(Symbol::GreaterOrEqual) {
            return self.go_to(self.token.start + 1);
        }
        self.expect(Symbol::Greater, "'>'")
    }

    fn declared_type(&mut self) -> Parsed<Type> {
        let mut name = String::new();
        loop {
            let part = self.property_name()?;
            name.push_str(&part);
            if !self.accept(Symbol::Dot)? {
                break;
            }
            name.push('.');
        }
        Ok(Type::Named(Text::from(name)))
    }
}
