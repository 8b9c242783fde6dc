//! Texts of files in the text and the attributes of the picture.

/// Appends a text so that it can only be text, whatever it contains.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    // Most texts need nothing.
    let is_plain = |byte: u8| byte >= b' ' && !b"&<>\"'".contains(&byte) && byte != 0xef;
    if text.bytes().all(is_plain) {
        return out.push_str(text);
    }
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            // XML has no way to write these; the last two begin with the byte 0xef.
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_can_only_be_texts() {
        let cases = [
            ("plain ä €", "plain ä €"),
            ("<a b='c'>&\"", "&lt;a b=&#39;c&#39;&gt;&amp;&quot;"),
            ("a\nb\u{1}\u{ffff}", "a b\u{fffd}\u{fffd}"),
        ];
        for (text, escaped) in cases {
            let mut out = String::new();
            push_escaped(&mut out, text);
            assert_eq!(out, escaped);
        }
    }
}
