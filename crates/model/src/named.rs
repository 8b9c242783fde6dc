//! Enums whose values have names: the same in the API, in stores and in logs.

/// Gives the list of such enums to a macro: `for_each_named!([name] [passed on])`.
#[macro_export]
macro_rules! for_each_named {
    ([$($then:tt)+] [$($with:tt)*]) => {
        $($then)+! {
            [$($with)*]
            $crate::ElementKind,
            $crate::entity::DefinitionState,
            $crate::entity::IncidentKind,
            $crate::entity::IncidentState,
            $crate::entity::InstanceState,
            $crate::entity::JobEvent,
            $crate::entity::JobKind,
            $crate::entity::SubscriptionKind,
            $crate::entity::SubscriptionState,
            $crate::entity::UserTaskState,
        }
    };
}

/// Gives the values of an enum their names.
macro_rules! names {
    ($type:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            pub const ALL: &'static [$type] = &[$($type::$value),+];

            pub fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)+
                }
            }

            pub fn from_name(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($type::$value),)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use names;

#[cfg(test)]
mod tests {
    /// Two values of one name would be read as the first.
    #[test]
    fn names_lead_back_to_their_values() {
        macro_rules! check {
            ([] $($type:ty,)+) => {$(
                for value in <$type>::ALL {
                    assert_eq!(<$type>::from_name(value.name()), Some(*value));
                }
                assert_eq!(<$type>::from_name("nonsense"), None);
            )+};
        }
        crate::for_each_named!([check] []);
    }
}
