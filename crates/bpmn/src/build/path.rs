//! Names and paths as mappings write them.

use tidemill_model::Text;

pub(super) const PATTERN: &str = "[a-zA-Z_][a-zA-Z0-9_]*(\\.[a-zA-Z_][a-zA-Z0-9_]*)*";
pub(super) const RESERVED: &[&str] =
    &["null", "true", "false", "function", "if", "then", "else", "for", "between", "instance", "of"];

/// Names in one path: each becomes a level of nested values.
pub(super) const NAMES_MAX: usize = 100;

/// `a.b.c` as its names, if it follows the pattern.
pub(super) fn names(path: &str) -> Option<Vec<Text>> {
    path.split('.').map(|name| is_name(name).then(|| name.into())).collect()
}

fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The variable that an expression reads, if it is nothing but a name or a path.
pub(super) fn variable_of(feel: &str) -> Option<Text> {
    let mut names = feel.trim().split('.').map(str::trim);
    let first = names.next().filter(|name| is_feel_name(name))?;
    names.all(is_feel_name).then(|| first.into())
}

/// FEEL allows all letters, which mapping targets do not.
fn is_feel_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
    let continues = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    begins && continues && !RESERVED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ascii_names_with_dots() {
        assert_eq!(names("a.b_1"), Some(vec!["a".into(), "b_1".into()]));
        for wrong in ["", ".", "a.", "1a", "a b", "ä", "a..b", "a-b", "=a"] {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_plain_names_and_paths_are_variables() {
        assert_eq!(variable_of("größe"), Some("größe".into()));
        assert_eq!(variable_of(" a . b "), Some("a".into()));
        for other in ["a + 1", "null", "f(a)", "1", "\"a\"", "a[1]", "{a: 1}"] {
            assert_eq!(variable_of(other), None, "{other}");
        }
    }
}
