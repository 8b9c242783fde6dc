//! One suite that every store passes. A store gives a `Place` where its data lies and can be opened again;
//! `conformance_tests!` makes a test of every case.

mod build;
pub mod cases;
mod dump;
pub mod history;
mod history_lists;
pub mod one_task;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod proxy;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(all(feature = "postgres", feature = "redis"))]
pub mod servers;
mod session;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod watched;
pub mod workload;

pub use build::Builder;
pub use dump::dump;
pub use session::Session;
pub use tokio;

use async_trait::async_trait;
use std::sync::Arc;
use tidemill_store::Store;

/// Where a store keeps its data: fresh for each test, opened as often as the test likes, once at a time.
#[async_trait]
pub trait Place: Send + Sync {
    async fn open(&self) -> Arc<dyn Store>;
}

/// `conformance_tests!(make_place)` with `fn make_place(partitions: u16) -> impl Place`.
#[macro_export]
macro_rules! conformance_tests {
    ($place:expr) => {
        $crate::conformance_tests! { $place;
            inbox: appended_entries_wait_in_order, consumed_entries_are_gone, outcomes_are_told,
                what_is_in_hand_is_noted, partitions_have_their_own_inbox, wakeups_are_remembered;
            ownership: one_holder_at_a_time, keys_are_never_given_twice, a_stale_owner_cannot_write,
                an_expired_lease_can_be_taken, nodes_come_and_go, the_clock_of_the_last_batch_is_kept;
            commit: a_batch_is_all_or_nothing, a_row_is_put_changed_and_removed, what_ends_moves_to_history,
                the_batch_log_settles_unknown_outcomes, keys_outside_the_block_are_refused,
                answers_are_kept_for_retries, late_answers_replace_what_was_noted_before,
                commits_of_many_partitions_run_together;
            load: a_small_instance_comes_whole, keys_lead_to_their_instance, a_large_instance_comes_in_pieces,
                message_boxes_are_loaded, signals_and_starts_are_loaded, waiting_jobs_come_in_order,
                leases_of_both_kinds_are_loaded, nothing_is_found_where_nothing_is, every_field_survives;
            catalog: versions_are_found_in_every_way, deleted_versions_are_not_latest, the_version_number_moves,
                all_versions_are_loaded_for_the_engine;
            timers: timers_come_in_order_with_an_honest_horizon, firing_deletes_exactly_its_range,
                a_timer_moves;
            timer_shards: a_shard_goes_with_its_partition, an_unknown_outcome_of_a_shard_is_settled,
                blocks_come_in_pages, the_blocks_of_a_timer_are_found, places_are_kept_by_id_and_key,
                deliveries_wait_in_lanes, rows_of_timers_can_be_looked_at, commands_of_timers_wait_in_the_inbox, a_shard_runs_on_the_store;
            search: operators_test_what_they_say, filters_are_joined, pages_cover_everything_once,
                cursors_hold_still_under_writes, totals_are_exact_to_ten_thousand, live_and_history_are_one,
                nulls_have_a_place_in_the_order, lists_are_tested_by_member, variables_select_instances,
                elements_incidents_and_jobs_select_instances, jobs_show_their_leases, incidents_below_are_found,
                start_events_are_subscriptions_too, every_field_can_be_tested_and_sorted;
            large_searches: long_lists_are_searched, many_conditions_are_searched, long_patterns_are_searched;
            plain: searches_find_what_plain_ones_find;
            views: everything_that_answers_need_is_there, variables_are_seen_from_a_scope,
                callers_are_listed_from_the_root, flows_taken_are_kept, elements_are_counted, events_are_told_in_order,
                processes_and_versions_are_counted, errors_are_counted;
            dead_letters: letters_are_listed_in_order, a_letter_that_is_tried_again_waits_in_the_inbox,
                a_letter_can_be_dropped;
            leases: one_owner_whatever_the_schedule;
            inspect: the_log_is_read_in_both_directions, what_waits_is_counted, amounts_are_told,
                retention_is_kept;
            maintenance: an_ended_instance_is_deleted_with_a_commit, what_ends_in_a_batch_can_be_deleted_by_it,
                a_large_instance_is_deleted_in_steps, a_stale_owner_cannot_delete, old_history_goes,
                old_results_and_logs_go;
            reopen: everything_is_there_after_reopening, a_random_workload_equals_its_model;
        }
    };
    ($place:expr; $($group:ident: $($case:ident),+;)+) => {$(
        mod $group {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $case() {
                    let runtime = $crate::tokio::runtime::Builder::new_multi_thread()
                        .worker_threads(2).enable_all().build().expect("a runtime");
                    runtime.block_on(async {
                        let place = ($place)($crate::cases::PARTITIONS);
                        $crate::cases::$group::$case(&place).await;
                    });
                }
            )+
        }
    )+};
}
