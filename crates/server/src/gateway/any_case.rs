//! Enums of request bodies whose words are taken in any casing.

/// Declares such an enum with its words.
macro_rules! named_in_any_case {
    ($(#[$attribute:meta])* enum $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum $name {
            $($variant),+
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                $(if word.eq_ignore_ascii_case($word) {
                    return Ok($name::$variant);
                })+
                Err(serde::de::Error::unknown_variant(&word, &[$($word),+]))
            }
        }
    };
}
