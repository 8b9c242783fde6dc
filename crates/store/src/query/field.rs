//! The fields of each entity that can be filtered and sorted by, under the names of the API, and the shown values.

/// The order and equality of a field's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A 64-bit key; a text of digits in the API.
    Key,
    Int,
    /// Epoch milliseconds.
    Time,
    Text,
    Bool,
    /// Several texts; a test asks whether one of them passes.
    Texts,
}

/// A field of one searchable entity.
pub trait Field: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    fn name(self) -> &'static str;
    fn kind(self) -> FieldKind;
    fn from_name(name: &str) -> Option<Self>;
    /// The entity's own key: always the last sort criterion.
    fn key() -> Self;
    fn all() -> &'static [Self];
    /// True if a view may have nothing there. Of computed values nobody knows.
    fn is_optional(self) -> bool;
    /// The member of the view that has its value; none where the value is computed.
    fn member(self) -> Option<&'static str>;
}

/// Declares a searchable entity: its view, and the fields by which it is searched.
///
/// Each line is a member of the view. `=> Field "name"` makes it a field as well, under its name in the API; what kind of
/// field it is follows from the type. `computed` has the fields that no member shows, `also` what else `Shown` can say.
macro_rules! searchable {
    (
        $(#[$doc:meta])*
        $view:ident, $field:ident by $key:ident {
            $($(#[$member_doc:meta])* $member:ident: $type:ty $(=> $shown:ident $name:literal)?),+ $(,)?
        }
        $(computed {
            $($computed:ident: $kind:ident $computed_name:literal = |$row:ident, $related:ident| $value:expr),+ $(,)?
        })?
        $(also { $($also:tt)* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $view {
            $($(#[$member_doc])* pub $member: $type,)+
        }

        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $field {
            $($($shown,)?)+
            $($($computed,)+)?
        }

        impl $crate::query::Field for $field {
            fn name(self) -> &'static str {
                match self {
                    $($($field::$shown => $name,)?)+
                    $($($field::$computed => $computed_name,)+)?
                }
            }

            fn kind(self) -> $crate::query::FieldKind {
                match self {
                    $($($field::$shown => <$type as $crate::query::plain::Member>::KIND,)?)+
                    $($($field::$computed => $crate::query::FieldKind::$kind,)+)?
                }
            }

            fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($($name => Some($field::$shown),)?)+
                    $($($computed_name => Some($field::$computed),)+)?
                    _ => None,
                }
            }

            fn key() -> Self {
                $field::$key
            }

            fn all() -> &'static [Self] {
                &[$($($field::$shown,)?)+ $($($field::$computed,)+)?]
            }

            fn is_optional(self) -> bool {
                match self {
                    $($($field::$shown => <$type as $crate::query::plain::Member>::IS_OPTIONAL,)?)+
                    $($($field::$computed => true,)+)?
                }
            }

            fn member(self) -> Option<&'static str> {
                match self {
                    $($($field::$shown => Some(stringify!($member)),)?)+
                    $($($field::$computed => None,)+)?
                }
            }
        }

        impl $crate::query::plain::Shown for $field {
            type View = $view;

            fn value<'v>(
                self,
                view: &'v $view,
                related: &dyn $crate::query::plain::Related,
            ) -> $crate::query::plain::FieldValue<'v> {
                let _ = related;
                match self {
                    $($(
                        $field::$shown => $crate::query::plain::Member::value(&view.$member),
                    )?)+
                    $($($field::$computed => {
                        let ($row, $related) = (view, related);
                        let _ = ($row, $related);
                        $value
                    })+)?
                }
            }

            $($($also)*)?
        }
    };
}
pub(crate) use searchable;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{IncidentField, JobField};

    #[test]
    fn names_lead_to_fields_and_back() {
        assert_eq!(JobField::from_name("deadline"), Some(JobField::Deadline));
        assert_eq!(JobField::Deadline.name(), "deadline");
        assert_eq!(JobField::Deadline.kind(), FieldKind::Time);
        assert_eq!(JobField::Deadline.member(), Some("deadline"));
        assert_eq!(JobField::from_name("nonsense"), None);
    }

    #[test]
    fn computed_fields_have_no_member() {
        assert_eq!(IncidentField::ErrorHash.member(), None);
        assert_eq!(IncidentField::ErrorHash.kind(), FieldKind::Int);
    }
}
