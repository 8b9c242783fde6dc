//! Warnings: why a part of an expression is null.

use super::evaluate;
use tidemill_feel::Dialect;

#[test]
fn warnings_name_the_cause() {
    let cases = [
        ("amuont > 10", "no variable 'amuont'; did you mean 'amount'?"),
        ("xyz", "no variable 'xyz'"),
        ("order.custmer", "no entry 'custmer'; did you mean 'customer'?"),
        ("numbers[9]", "no item 9 in a list of 3"),
        ("1 / 0", "Division by zero, so the result is null"),
        ("1 < \"a\"", "Cannot compare number with string, so the result is null"),
        ("foo(1)", "no function 'foo'"),
    ];
    for (text, expected) in cases {
        let warnings = evaluate(Dialect::Camunda, text).warnings;
        assert!(warnings.iter().any(|warning| warning.message == expected), "{text}: {warnings:?}");
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
fn warnings_are_bounded_and_not_repeated() {
    assert_eq!(evaluate(Dialect::Camunda, "for i in 1..1000 return nobody").warnings.len(), 1);
    assert!(evaluate(Dialect::Camunda, "for i in 1..1000 return numbers[i + 10]").warnings.len() <= 32);
}
