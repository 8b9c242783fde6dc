//! `in` and the cells of decision tables.

use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{TestNode, TestsNode};
use crate::value::{Relation, Value};

impl Machine<'_> {
    pub(super) fn in_tests(&mut self, node: &TestsNode) -> Result<Value, Fault> {
        let value = self.eval(&node.value)?;
        self.set_local(node.slot, value.clone());
        let mut result = Some(false);
        for test in &node.tests {
            match self.passes(test, &value)? {
                Some(true) => {
                    result = Some(true);
                    break;
                }
                Some(false) => {}
                None => result = None,
            }
        }
        let result = if node.is_cell { Some(result == Some(true)) } else { result };
        Ok(result.map(|passed| passed != node.negated).into())
    }

    fn passes(&mut self, test: &TestNode, value: &Value) -> Result<Option<bool>, Fault> {
        match test {
            TestNode::Compare(operator, end) => {
                let end = self.eval(end)?;
                Ok(self.compare(*operator, value, &end)?.as_bool())
            }
            TestNode::Value { node, reads_input } => {
                let expected = self.eval(node)?;
                match expected {
                    Value::Boolean(holds) if *reads_input || !matches!(value, Value::Boolean(_)) => {
                        Ok(Some(holds && (*reads_input || !value.is_null())))
                    }
                    Value::Null if *reads_input => Ok(None),
                    expected => self.meets(value, &expected),
                }
            }
        }
    }

    /// True if a value is the expected one, or in the expected list or range.
    fn meets(&mut self, value: &Value, expected: &Value) -> Result<Option<bool>, Fault> {
        match expected {
            Value::Range(range) if !matches!(value, Value::Range(_)) => Ok(range.contains(value)),
            Value::List(list) => {
                if self.equal(value, expected)? == Some(true) {
                    return Ok(Some(true));
                }
                self.charge_steps(list.len() as u64)?;
                for item in list {
                    let met = match item {
                        Value::Range(range) if !matches!(value, Value::Range(_)) => range.contains(value),
                        item => Relation::equal(value, item),
                    };
                    if met == Some(true) {
                        return Ok(Some(true));
                    }
                }
                Ok(Some(false))
            }
            expected => self.equal(value, expected),
        }
    }
}
