//! Bounds on what a file can make grow. The size of the file, its depth and its number of nodes are bounded by the
//! XML reader.

/// Coordinates beyond this are no picture any more.
pub(crate) const COORDINATE_MAX: f64 = 1_000_000.0;
/// Points of one connection.
pub(crate) const WAYPOINTS_MAX: usize = 1_000;
/// Characters of a name that are drawn.
pub(crate) const LABEL_CHARACTERS_MAX: usize = 2_000;
/// Lines that one label is wrapped into.
pub(crate) const LABEL_LINES_MAX: usize = 60;
/// Notes that are kept of one file.
pub(crate) const NOTES_MAX: usize = 100;
/// Shapes and flows that an automatic layout places one behind another.
pub(crate) const LAYOUT_ELEMENTS_MAX: usize = 20_000;
/// Places that long flows take up in the layers that they pass, in one scope. With more of them, flows run outside.
pub(crate) const LAYOUT_PASSAGES_MAX: usize = 50_000;
