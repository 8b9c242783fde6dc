use crate::value::Value;

/// Texts that must come back exactly as they are.
const SAME: &[&str] = &[
    "null",
    "true",
    "-0.50",
    "1234567890123456789012345678901234",
    "0.1234567890123456789012345678901234",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    r#""a\"b\\c\n\u0001é😀""#,
    r#"{"z":1,"a":[1,2.0,{"b":null}],"m":{}}"#,
    r#"[{"a":1,"b":2},{"a":3,"b":4},{"a":5},{"b":6,"a":7},{"a":8,"b":9,"c":10},{}]"#,
    "[]",
];

#[test]
fn nothing_is_lost() {
    for text in SAME {
        assert_eq!(Value::from_json(text).expect(text).to_json(), *text);
    }
}

#[test]
fn texts_are_brought_to_one_form() {
    let cases = [
        (" [ 1 ,\n2 ] ", "[1,2]"),
        (r#""\u0041\/\ud83d\ude00\ud800""#, "\"A/😀\u{fffd}\""),
        ("1e3", "1000"),
        ("1.5E-2", "0.015"),
        (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
        ("12345678901234567890123456789012345", "12345678901234567890123456789012340"),
        ("1e400", "1E+400"),
        ("-0", "0"),
    ];
    for (text, expected) in cases {
        assert_eq!(Value::from_json(text).expect(text).to_json(), expected, "{text}");
    }
}

#[test]
fn what_is_not_json_is_refused() {
    let deep = "[".repeat(100_000);
    let cases = [
        "",
        " ",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "-",
        "+1",
        "1e",
        "nul",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "[1 2]",
        "{\"a\" 1}",
        "1 2",
        "\"a\nb\"",
        "]",
        "tru",
        "1e9999",
        &deep,
    ];
    for text in cases {
        assert!(Value::from_json(text).is_err(), "{text:.20}");
    }
}

#[test]
fn a_path_reads_the_last_of_equal_keys() {
    let text = r#" {"x":[{"a":"}"}],"a":{"b":1}, "a" : {"c":"\"","b" : 2} ,"d":null}"#;
    let read = |path: &[&str]| {
        let path: Vec<_> = path.iter().map(|name| (*name).into()).collect();
        super::read_path(text, &path).expect("valid JSON").map(|value| value.to_json())
    };
    assert_eq!(read(&["a", "b"]), Some("2".to_string()));
    assert_eq!(read(&["d"]), Some("null".to_string()));
    assert_eq!(read(&["x"]), Some(r#"[{"a":"}"}]"#.to_string()));
    assert_eq!(read(&["x", "a"]), None);
    assert_eq!(read(&["a", "z"]), None);
}

#[test]
fn stored_numbers_have_no_zeros_that_say_nothing() {
    for (text, expected) in [
        ("1.0", "1"),
        ("-3.00", "-3"),
        ("1.10", "1.1"),
        ("0.0", "0"),
        ("-0.0", "0"),
        ("100", "100"),
        ("0.05", "0.05"),
        ("[1.50,{\"a\":2.0,\"b\":\"3.0\"}]", "[1.5,{\"a\":2.0,\"b\":\"3.0\"}]"),
    ] {
        assert_eq!(Value::from_json(text).expect(text).to_stored_json(), expected, "{text}");
    }
}
