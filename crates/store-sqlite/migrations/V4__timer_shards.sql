-- Service timers: blocks that the shard of a partition packs and reads. Nothing here is understood by the store.

CREATE TABLE timer_shards (partition_id INTEGER PRIMARY KEY, holder TEXT, epoch INTEGER NOT NULL);

CREATE TABLE timer_batches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    batch_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    highest_key INTEGER NOT NULL,
    mark_due INTEGER NOT NULL,
    mark_key INTEGER NOT NULL
);
CREATE UNIQUE INDEX timer_batches_by_id ON timer_batches (partition_id, batch_id);

-- Not WITHOUT ROWID: a block is too long for the inner pages of such a table.
CREATE TABLE timer_blocks (
    partition_id INTEGER NOT NULL,
    level INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    batch_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    last_key INTEGER NOT NULL,
    count INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX timer_blocks_by_slot ON timer_blocks (partition_id, level, slot, kind, batch_id, n);

CREATE TABLE timer_places (
    partition_id INTEGER NOT NULL,
    id BLOB NOT NULL,
    key INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    id_due_at INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    state INTEGER NOT NULL,
    PRIMARY KEY (partition_id, id)
) WITHOUT ROWID;

CREATE TABLE timer_targets (
    partition_id INTEGER NOT NULL,
    target_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    lane INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (partition_id, target_id)
) WITHOUT ROWID;

CREATE TABLE timer_namespaces (
    partition_id INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    namespace TEXT NOT NULL,
    since_due INTEGER NOT NULL,
    since_key INTEGER NOT NULL,
    is_resuming INTEGER NOT NULL,
    PRIMARY KEY (partition_id, tenant, namespace)
) WITHOUT ROWID;

CREATE TABLE timer_deliveries (
    partition_id INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    batch_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    count INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX timer_deliveries_by_lane ON timer_deliveries (partition_id, lane, batch_id, n);

CREATE TABLE timer_failures (
    partition_id INTEGER NOT NULL,
    key INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (partition_id, key, generation)
) WITHOUT ROWID;
