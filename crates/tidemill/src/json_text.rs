//! JSON for people without reading it into values: every number, name and text stays as it was written.

/// The same JSON with one member a line.
pub(crate) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut rest) = (0_usize, json.trim());
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { text_length(rest) } else { first.len_utf8() };
        let (token, after) = rest.split_at(length);
        let after = after.trim_start();
        match first {
            '{' | '[' if !after.starts_with(['}', ']']) => {
                depth += 1;
                out.push(first);
                break_line(&mut out, depth);
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(first);
            }
            ',' => {
                out.push(first);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// How many bytes the text takes that opens here, its quotes among them.
fn text_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.char_indices().skip(1).find(|(_, character)| {
        let closes = *character == '"' && !is_escaped;
        is_escaped = *character == '\\' && !is_escaped;
        closes
    });
    end.map_or(json.len(), |(at, _)| at + 1)
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str("  "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_white_space_changes() {
        let json = r#"{ "b":1e400, "a":[1.10,{},[] , 12345678901234567890123],"t":"\u00e9 {,:\" \\"}"#;
        let expected = "{\n  \"b\": 1e400,\n  \"a\": [\n    1.10,\n    {},\n    [],\n    12345678901234567890123\n  ],\
                        \n  \"t\": \"\\u00e9 {,:\\\" \\\\\"\n}";
        assert_eq!(pretty(json), expected);
        assert_eq!(pretty("{ }"), "{}");
        assert_eq!(pretty(" 7 "), "7");
    }
}
