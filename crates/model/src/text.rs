//! Short shared strings: cheap to clone, inline when small.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An id, name or code.
pub type Text = smol_str::SmolStr;

/// The tenant that owns a thing; `<default>` where tenants are not used.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct TenantId(pub Text);

impl TenantId {
    pub const DEFAULT: &'static str = "<default>";

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for TenantId {
    fn default() -> Self {
        TenantId(Text::new_static(Self::DEFAULT))
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
