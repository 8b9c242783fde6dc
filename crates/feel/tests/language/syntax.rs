//! Errors of syntax, with their place; the canonical form.

use tidemill_feel::Expression;

#[test]
fn errors_tell_where_and_what() {
    let cases = [
        ("", 1, 1, "an expression", "the end of the expression"),
        ("1 +", 1, 4, "an expression", "the end of the expression"),
        ("(1", 1, 3, "')'", "the end of the expression"),
        ("[1, 2", 1, 6, "',' or ']'", "the end of the expression"),
        ("{a 1}", 1, 5, "':'", "'}'"),
        ("1 2", 1, 3, "an operator or the end", "'2'"),
        ("a\n + * b", 2, 4, "an expression", "'*'"),
        ("if a then b", 1, 12, "'else'", "the end of the expression"),
        ("for x in y", 1, 11, "',' or 'return'", "the end of the expression"),
        ("\"abc", 1, 1, "an expression", "a string without its closing quote"),
        ("a # b", 1, 3, "an operator or the end", "'#'"),
        ("é + ]", 1, 6, "an expression", "the end of the expression"),
        ("then", 1, 1, "an expression", "'then'"),
        ("a.1", 1, 2, "an operator or the end", "'.1'"),
        ("x instance of", 1, 14, "a type", "the end of the expression"),
        ("f(a: 1, 2)", 1, 9, "the name of a parameter", "'2'"),
    ];
    for (text, line, column, expected, found) in cases {
        let error = Expression::compile(text).expect_err(text);
        assert_eq!(
            (error.line, error.column, error.expected.as_str(), error.found.as_str()),
            (line, column, expected, found),
            "{text}"
        );
    }
}

#[test]
fn exponents_are_not_camundas() {
    assert!(Expression::compile("1e3").is_err());
}

#[test]
fn the_canonical_form_is_tidy_and_means_the_same() {
    let cases = [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("((a))", "a"),
        ("a and(b or c)", "a and (b or c)"),
        ("if a then b else if c then d else e", "if a then b else if c then d else e"),
        ("if a then b else (if c then d else e)", "if a then b else if c then d else e"),
        ("items [ price>10 ] . name", "items[price > 10].name"),
        ("{a:1,\"b c\":2}", "{a: 1, \"b c\": 2}"),
        ("]1..5[", "(1..5)"),
        ("x in (1)", "x in 1"),
        ("x in (1,2)", "x in (1, 2)"),
        ("x in (>1)", "x in (> 1)"),
        ("string  length (\"a\")", "string length(\"a\")"),
        ("substring(string:\"abc\",start position:2)", "substring(string: \"abc\", `start position`: 2)"),
        ("`a b`+1", "`a b` + 1"),
        ("date and time(\"2026-01-01T00:00:00\")", "date and time(\"2026-01-01T00:00:00\")"),
        ("for x in 1..3,y in z return x", "for x in 1..3, y in z return x"),
        ("some x in y satisfies x>1", "some x in y satisfies x > 1"),
        ("function(a:number,b)a+b", "function(a: number, b) a + b"),
        ("(x instance of date) and time(y)", "(x instance of date) and time(y)"),
        ("(-1).x", "(-1).x"),
        ("- x ** 2", "-x ** 2"),
        ("-(x ** 2)", "-(x ** 2)"),
        ("--0", "0"),
        ("---0.0", "0.0"),
        ("--1", "--1"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a = b) = c", "(a = b) = c"),
        ("x between 1 and 2", "x between 1 and 2"),
        ("1.50", "1.50"),
        ("@\"2026-01-01\"", "@\"2026-01-01\""),
    ];
    for (text, expected) in cases {
        let expression = Expression::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expression.format(), expected, "{text}");
        assert_eq!(Expression::compile(expected).as_ref(), Ok(&expression), "{text}");
    }
}
