//! Both flavours: what matches, what is refused, and that hostile patterns are charged.

use super::{Flavour, Pattern, PatternError};
use proptest::prelude::*;
use regex_syntax::hir::{Hir, HirKind};

#[derive(Debug, PartialEq)]
struct Exhausted;

fn free(_: u64) -> Result<(), Exhausted> {
    Ok(())
}

fn matches(text: &str, pattern: &str, flags: &str, flavour: Flavour) -> Option<bool> {
    let pattern = Pattern::new(pattern, flags, flavour).ok()?;
    Some(pattern.is_match(text, &mut free).expect("free of charge"))
}

fn replace(text: &str, pattern: &str, replacement: &str, flavour: Flavour) -> Option<String> {
    let pattern = Pattern::new(pattern, "", flavour).ok()?;
    let found = pattern.replacement(text, replacement, &mut free).expect("free of charge").ok()?;
    Some(found.write())
}

#[test]
fn xpath_patterns() {
    for (text, pattern, flags, expected) in [
        ("abracadabra", "bra", "", Some(true)),
        ("abracadabra", "^bra", "", Some(false)),
        ("\nabcd\ndefg\n", "^$", "m", Some(true)),
        ("Mary\rJones", "Mary.Jones", "", Some(false)),
        ("Mary\nJones", "Mary.Jones", "s", Some(true)),
        ("\u{212A}", "k", "i", Some(true)),
        ("x", "[A-Z-[OI]]", "i", Some(true)),
        ("i", "[A-Z-[OI]]", "i", Some(false)),
        ("q", "[^Q]", "i", Some(false)),
        ("hello world", r"hello\ sworld", "x", Some(true)),
        ("hello world", "he ll o[ ]worl d", "x", Some(true)),
        ("hello world", r"\p{ I s B a s i c L a t i n }+", "x", Some(true)),
        ("a.c", "a.c", "q", Some(true)),
        ("abc", "a.c", "q", Some(false)),
        ("aA", r"(a)\1", "i", Some(true)),
        ("abba", r"(.)(.)\2\1", "", Some(true)),
        ("abab", r"(.)(.)\2\1", "", Some(false)),
        ("\u{661}", r"\d", "", Some(true)),
        ("x:y", r"^\i\c*$", "", Some(true)),
        ("-", r"^\i", "", Some(false)),
        ("a]", r"[\]]", "", Some(true)),
        ("abracadabra", "bra", "p", None),
        ("hello", r"\p{ IsBasicLatin}+", "", None),
        ("h", r"(.)\3", "", None),
        ("input", r"\3", "", None),
        ("abcd", r"(asd)[\1]", "", None),
        ("abcd", r"1[asd\0]", "", None),
        ("abcd", "a**", "", None),
        ("abcd", "(a", "", None),
        ("abcd", "a)", "", None),
        ("abcd", "[b-a]", "", None),
        ("abcd", "a{2,1}", "", None),
        ("abcd", "(?=a)", "", None),
    ] {
        assert_eq!(matches(text, pattern, flags, Flavour::XPath), expected, "{pattern:?} {flags}");
    }
}

#[test]
fn java_patterns() {
    for (text, pattern, flags, expected) in [
        ("foobar", "foo(?=bar)", "", Some(true)),
        ("foobaz", "foo(?!baz)", "", Some(false)),
        ("price: 10", r"(?<=price: )\d+", "", Some(true)),
        ("aaa", "a++a", "", Some(false)),
        ("aaab", "(?>a+)b", "", Some(true)),
        ("ABC", "(?i)abc", "", Some(true)),
        ("aBC", "a(?i:b)c", "", Some(false)),
        ("abab", r"(?<x>ab)\k<x>", "", Some(true)),
        ("d", "[a-z&&[^bc]]", "", Some(true)),
        ("b", "[a-z&&[^bc]]", "", Some(false)),
        ("Q", "[a-z[A-Z]]", "", Some(true)),
        ("a.c", r"\Qa.c\E", "", Some(true)),
        ("\u{661}", r"\d", "", Some(false)),
        ("é", r"\p{IsLatin}", "", Some(true)),
        ("é", r"\p{Alpha}", "", Some(false)),
        ("λ", r"\p{InGreek}", "", Some(true)),
        ("a word", r"\bword\b", "", Some(true)),
        ("ab", "a # comment\n b", "x", Some(true)),
        ("ab", "ab", "?", Some(true)),
        ("a", r"(a)\2", "", Some(false)),
        ("ab", "(?P<n>a)", "", None),
    ] {
        assert_eq!(matches(text, pattern, flags, Flavour::Java), expected, "{pattern:?} {flags}");
    }
}

#[test]
fn replacements() {
    use Flavour::{Java, XPath};
    for (text, pattern, replacement, flavour, expected) in [
        ("abcd", "(ab)|(a)", "[1=$1][2=$2]", XPath, Some("[1=ab][2=]cd")),
        ("abracadabra", "a(.)", "a$1$1", XPath, Some("abbraccaddabbra")),
        ("facet", "[ae]", "[$0]", XPath, Some("f[a]c[e]t")),
        ("ab", "(a)", "$12", XPath, Some("a2b")),
        ("ab", "a", r"\$", XPath, Some("$b")),
        ("ab", "a", "$x", XPath, None),
        ("ab", "a", "$3", XPath, Some("b")),
        ("ab", "a", "$3", Java, None),
        ("ab", "a", r"\n", Java, Some("nb")),
        ("aabb", r"(.)\1", "$1", Java, Some("ab")),
        ("abc", "", "-", Java, Some("-a-b-c-")),
    ] {
        let actual = replace(text, pattern, replacement, flavour);
        assert_eq!(actual.as_deref(), expected, "{pattern:?} {replacement:?}");
    }
}

#[test]
fn splitting_and_finding() {
    let split = |text, pattern| {
        let pattern = Pattern::new(pattern, "", Flavour::Java).expect("valid");
        pattern.split(text, &mut free).expect("free of charge")
    };
    assert_eq!(split("John Doe", r"\s"), ["John", "Doe"]);
    assert_eq!(split("a;b;c;;", ";"), ["a", "b", "c", "", ""]);
    assert_eq!(split("abc", ""), ["a", "b", "c", ""]);
    assert_eq!(split("", ";"), [""]);
    let digits = Pattern::new(r"\d+", "", Flavour::Java).expect("valid");
    assert_eq!(digits.find_all("1 and 23", &mut free), Ok(vec!["1", "23"]));
}

#[test]
fn exponential_patterns_use_up_the_budget() {
    let pattern = Pattern::new(r"^(a+)+\1$", "", Flavour::Java).expect("valid");
    let text = "a".repeat(40) + "b";
    let mut left: u64 = 100_000;
    let mut charge = |steps: u64| {
        left = left.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    };
    assert_eq!(pattern.is_match(&text, &mut charge), Err(Exhausted));
}

#[test]
fn huge_patterns_are_refused() {
    let nested = "(".repeat(5_000) + &")".repeat(5_000);
    for source in ["(a{1000}){1000}", r"(((a\1{100}){100}){100}){100}", nested.as_str()] {
        let refused = Pattern::new(source, "", Flavour::Java).err();
        assert_eq!(refused, Some(PatternError::TooLarge), "{}", &source[..10]);
    }
}

/// Patterns that both engines can run.
fn regular_pattern() -> impl Strategy<Value = String> {
    let atom = prop_oneof!["[ab.^$]", r"\\[dwsb]", r"\[\^?[a-c]\]", r"\[a-c\]"];
    atom.prop_recursive(4, 24, 4, |inner| {
        let quantifier = prop_oneof!["", r"\*", r"\+", r"\?", r"\*\?", r"\{1,2\}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left}|{right}")),
            (inner, quantifier).prop_map(|(inner, quantifier)| format!("({inner}){quantifier}")),
        ]
    })
}

/// True if a loop's body can match without consuming: there the engines end the loop at different places.
fn repeats_nothing(hir: &Hir) -> bool {
    let here = match hir.kind() {
        HirKind::Repetition(repetition) => repetition.sub.properties().minimum_len() == Some(0),
        _ => false,
    };
    here || hir.kind().subs().iter().any(repeats_nothing)
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(source in r"[ab(){}\[\]|*+?.^$\\\-&<>=!:1-3pPiQEdw]{0,24}", java: bool) {
        let flavour = if java { Flavour::Java } else { Flavour::XPath };
        if let Ok(pattern) = Pattern::new(&source, "", flavour) {
            let mut left = 20_000u64;
            let mut charge = |steps: u64| {
                left = left.checked_sub(steps).ok_or(Exhausted)?;
                Ok(())
            };
            let _: Result<bool, Exhausted> = pattern.is_match("abab1-a", &mut charge);
        }
    }

    #[test]
    fn both_engines_find_the_same(source in regular_pattern(), text in "[abc1 \n]{0,12}") {
        let parsed = super::parse::parse(&source, super::Flags::default(), Flavour::Java);
        if let Ok(parsed) = parsed {
            let hir = super::linear::translate(&parsed.node).expect("the pattern is regular");
            if repeats_nothing(&hir) {
                return Ok(());
            }
            let linear = super::linear::build(hir).expect("the pattern is small");
            let program = super::Program::compile(&parsed.node, parsed.group_count).expect("the pattern is small");
            let by_linear = linear.find_at(&text, 0, &mut free).expect("free of charge");
            let by_program = program.find_at(&text, 0, &mut free).expect("free of charge");
            prop_assert_eq!(by_linear.map(|found| found.range()), by_program.map(|found| found.range()));
        }
    }
}
