//! Channels: the room between two layers, in which flows change their height. Flows that would cover each other get
//! tracks side by side; those that leave the same element, or lead to the same one, share a track.

use rustc_hash::FxHashMap;

const WIDTH_MIN: f64 = 50.0;
/// Room for arrowheads on both sides of the tracks.
const SIDES: f64 = 40.0;
const TRACK_STEP: f64 = 10.0;
/// Between flows on the same track.
const TRACK_GAP: f64 = 8.0;

/// The flows that share a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bundle {
    From(usize),
    To(usize),
    Alone(usize),
}

#[derive(Default)]
pub(super) struct Channel {
    extents: FxHashMap<Bundle, (f64, f64)>,
    /// In the order in which they came, so that the same model gives the same picture.
    bundles: Vec<Bundle>,
    tracks: FxHashMap<Bundle, usize>,
    track_count: usize,
    label_width: f64,
}

impl Channel {
    pub(super) fn add(&mut self, bundle: Bundle, from: f64, to: f64) {
        let (low, high) = (from.min(to), from.max(to));
        let bundles = &mut self.bundles;
        let extent = self.extents.entry(bundle).or_insert_with(|| {
            bundles.push(bundle);
            (low, high)
        });
        *extent = (extent.0.min(low), extent.1.max(high));
    }

    pub(super) fn make_room_for_label(&mut self, width: f64) {
        self.label_width = self.label_width.max(width);
    }

    /// Gives each bundle the first track that is free at its height.
    pub(super) fn assign_tracks(&mut self) {
        let extents = &self.extents;
        self.bundles.sort_by(|a, b| extents[a].0.total_cmp(&extents[b].0));
        let mut ends: Vec<f64> = Vec::new();
        for bundle in &self.bundles {
            let (low, high) = self.extents[bundle];
            let free = ends.iter().position(|end| end + TRACK_GAP < low);
            let track = free.unwrap_or(ends.len());
            match free {
                Some(track) => ends[track] = high,
                None => ends.push(high),
            }
            self.tracks.insert(*bundle, track);
        }
        self.track_count = ends.len();
    }

    /// The channels at both ends are there only when something passes through them.
    pub(super) fn width(&self, is_at_end: bool) -> f64 {
        let tracks = SIDES + TRACK_STEP * self.track_count.saturating_sub(1) as f64;
        match (is_at_end, self.track_count) {
            (true, 0) => 0.0,
            (true, _) => tracks,
            (false, _) => tracks.max(WIDTH_MIN).max(self.label_width + SIDES).ceil(),
        }
    }

    /// Where a bundle runs, from the left edge of the channel.
    pub(super) fn track(&self, bundle: Bundle, width: f64) -> f64 {
        let track = self.tracks.get(&bundle).copied().unwrap_or_default() as f64;
        ((width - TRACK_STEP * self.track_count.saturating_sub(1) as f64) / 2.0 + track * TRACK_STEP).round()
    }
}
