//! "Did you mean": the name nearest to one that was not found.

/// Candidates that are looked at.
const CANDIDATES_MAX: usize = 2_000;

/// The candidate with the fewest edits, if it is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = 1 + length / 4;
    candidates
        .take(CANDIDATES_MAX)
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .take(200)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits between two words: one character put in, left out, replaced or swapped with its neighbour. Case is free.
fn distance(left: &str, right: &str) -> usize {
    let fold = |text: &str| text.chars().take(64).flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (left, right) = (fold(left), fold(right));
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut edits = (previous[j] + usize::from(a != b)).min(previous[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                edits = edits.min(before[j - 1] + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["amount", "status", "customerId"];
        assert_eq!(nearest("amuont", names.into_iter()), Some("amount"));
        assert_eq!(nearest("customerID", names.into_iter()), Some("customerId"));
        assert_eq!(nearest("price", names.into_iter()), None);
    }
}
