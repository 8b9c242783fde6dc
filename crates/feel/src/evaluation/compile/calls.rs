//! Calls: built-ins are bound to one of their signatures here, all else is called as a value.

use super::Compiler;
use crate::builtins::{self, Builtin};
use crate::error::WarningKind;
use crate::evaluation::program::{BuiltinCall, CallArguments, FunctionCall, ProgramNode};
use crate::evaluation::run::{no_function, no_named_function};
use crate::syntax::ast::{Arguments, Expr};
use crate::value::Text;

impl Compiler<'_> {
    /// A call by name: of a function that the expression or the caller declares, or of a built-in.
    pub(super) fn named_call(&mut self, name: &Text, arguments: &Arguments) -> ProgramNode {
        let declared = self.names.is_declared(name)
            || self.options.known_names.iter().any(|known| known == name.as_str());
        if !declared && let Some(builtin) = builtins::find(name, self.dialect) {
            return self.builtin_call(builtin, arguments);
        }
        let function = self.name(name, None);
        self.value_call(function, name.clone(), arguments)
    }

    pub(super) fn value_call(
        &mut self,
        function: ProgramNode,
        name: Text,
        arguments: &Arguments,
    ) -> ProgramNode {
        let arguments = match arguments {
            Arguments::Positional(arguments) => CallArguments::Positional(self.nodes(arguments)),
            Arguments::Named(arguments) => CallArguments::Named(
                arguments.iter().map(|(name, value)| (name.clone(), self.node(value))).collect(),
            ),
        };
        ProgramNode::Call(FunctionCall { function, name, arguments }.into())
    }

    fn builtin_call(&mut self, builtin: &'static Builtin, arguments: &Arguments) -> ProgramNode {
        match arguments {
            Arguments::Positional(arguments) => self.positional_call(builtin, arguments),
            Arguments::Named(arguments) => self.named_arguments_call(builtin, arguments),
        }
    }

    fn positional_call(&mut self, builtin: &'static Builtin, arguments: &[Expr]) -> ProgramNode {
        let count = arguments.len();
        let Some(index) = builtin.signatures.iter().position(|signature| signature.accepts(count)) else {
            return ProgramNode::Refused(
                WarningKind::NoFunctionFound,
                no_function(builtin.name, count).into(),
            );
        };
        let length = builtin.signatures[index].len().max(count);
        let mut nodes: Vec<_> = arguments.iter().map(|argument| Some(self.node(argument))).collect();
        nodes.resize_with(length, || None);
        ProgramNode::CallBuiltin(BuiltinCall { builtin, signature: index, arguments: nodes.into() }.into())
    }

    fn named_arguments_call(&mut self, builtin: &'static Builtin, arguments: &[(Text, Expr)]) -> ProgramNode {
        let knows = |index: usize| {
            arguments.iter().all(|(name, _)| builtin.signatures[index].names().any(|known| known == name))
        };
        // Where two signatures have the same names, the order of the arguments tells which is meant.
        let in_order = |index: usize| {
            builtin.signatures[index].names().eq(arguments.iter().map(|(name, _)| name.as_str()))
        };
        let all = 0..builtin.signatures.len();
        let found =
            all.clone().find(|index| in_order(*index)).or_else(|| all.clone().find(|index| knows(*index)));
        let Some(index) = found else {
            let names = arguments.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
            return ProgramNode::Refused(
                WarningKind::NoFunctionFound,
                no_named_function(builtin.name, &names).into(),
            );
        };
        let signature = &builtin.signatures[index];
        let nodes = signature
            .names()
            .map(|parameter| {
                let given = arguments.iter().find(|(name, _)| name == parameter);
                given.map(|(_, value)| self.node(value))
            })
            .collect();
        ProgramNode::CallBuiltin(BuiltinCall { builtin, signature: index, arguments: nodes }.into())
    }
}
