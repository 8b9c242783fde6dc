//! Warnings: why a part of an expression is null.

use super::evaluate;
use tidemill_feel::Dialect;

#[test]
fn warnings_name_the_cause() {
    let cases = [
        ("amuont > 10", "[NO_VARIABLE_FOUND] No variable found with name 'amuont'. Did you mean 'amount'?"),
        ("xyz", "[NO_VARIABLE_FOUND] No variable found with name 'xyz'"),
        ("xyz > 5", "[NOT_COMPARABLE] Can't compare 'null' with '5'"),
        (
            "{a: 1, b: 2}.zzz",
            "[NO_CONTEXT_ENTRY_FOUND] No context entry found with key 'zzz'. Available keys: 'a', 'b'",
        ),
        ("{}.a", "[NO_CONTEXT_ENTRY_FOUND] No context entry found with key 'a'. The context is empty"),
        ("null.a", "[NO_CONTEXT_ENTRY_FOUND] No context entry found with key 'a'. The context is null"),
        (
            "date(\"2026-01-01\").hour",
            "[NO_PROPERTY_FOUND] No property found with name 'hour' of value '2026-01-01'. Available properties: \
             'year', 'month', 'day', 'weekday'",
        ),
        ("numbers[9]", "[UNKNOWN] no item 9 in a list of 3"),
        ("1 / 0", "[INVALID_TYPE] Can't divide '1' by '0'"),
        ("null + 1", "[INVALID_TYPE] Can't add '1' to 'null'"),
        ("1 - \"a\"", "[INVALID_TYPE] Can't subtract '\"a\"' from '1'"),
        ("[1] * {a: \"b\"}", "[INVALID_TYPE] Can't multiply '[1]' by '{a:\"b\"}'"),
        ("null ** 2", "[INVALID_TYPE] Expected number but found 'null'"),
        ("-true", "[INVALID_TYPE] Expected number but found 'true'"),
        ("1 < \"a\"", "[NOT_COMPARABLE] Can't compare '1' with '\"a\"'"),
        ("true = \"a\"", "[NOT_COMPARABLE] Can't compare 'true' with '\"a\"'"),
        ("true and 5", "[INVALID_TYPE] Expected boolean but found '5'"),
        ("false or \"x\"", "[INVALID_TYPE] Expected boolean but found '\"x\"'"),
        ("if null then 1 else 2", "[INVALID_TYPE] Expected boolean but found 'null'"),
        ("foo(1)", "[NO_FUNCTION_FOUND] No function found with name 'foo' and 1 parameters"),
        ("count(1, 2, 3)", "[NO_FUNCTION_FOUND] No function found with name 'count' and 3 parameters"),
        ("count(nope: 1)", "[NO_FUNCTION_FOUND] No function found with name 'count' and parameters: nope"),
        (
            "sum([1, \"a\"])",
            "[FUNCTION_INVOCATION_FAILURE] Failed to invoke function 'sum': expected number but found '\"a\"'",
        ),
        (
            "date(\"nope\")",
            "[FUNCTION_INVOCATION_FAILURE] Failed to invoke function 'date': Failed to parse date from 'nope'",
        ),
        (
            "upper case(5)",
            "[FUNCTION_INVOCATION_FAILURE] Failed to invoke function 'upper case': Illegal arguments: '5'. Expected a \
             string",
        ),
    ];
    for (text, expected) in cases {
        let warnings = evaluate(Dialect::Camunda, text).warnings;
        assert!(warnings.iter().any(|warning| warning.to_string() == expected), "{text}: {warnings:?}");
    }
}

#[test]
fn what_works_does_not_warn() {
    for text in [
        "amount > 10",
        "[{price: 5}][price > 10]",
        "(function(l) l[price > 1])([{price: 5}])",
        "nothing = null",
    ] {
        let warnings = evaluate(Dialect::Camunda, text).warnings;
        assert!(warnings.is_empty(), "{text}: {warnings:?}");
    }
}

#[test]
fn warnings_are_as_many_as_there_are_failures_and_bounded() {
    assert_eq!(evaluate(Dialect::Camunda, "[nobody, nobody]").warnings.len(), 2);
    assert_eq!(evaluate(Dialect::Camunda, "for i in 1..1000 return nobody").warnings.len(), 32);
    assert!(evaluate(Dialect::Camunda, "for i in 1..1000 return numbers[i + 10]").warnings.len() <= 32);
}

#[test]
fn a_long_value_is_told_by_its_beginning() {
    let warnings = evaluate(Dialect::Camunda, "(for i in 1..100000 return i) + 1").warnings;
    assert!(warnings[0].message.starts_with("Can't add '1' to '[1, 2, 3, "), "{warnings:?}");
    assert!(warnings[0].message.len() < 600);
}
