-- Service timers: blocks that the shard of a partition packs and reads. Nothing here is understood by the store.

CREATE TABLE timer_shards (partition_id smallint PRIMARY KEY, holder text, epoch bigint NOT NULL) WITH (fillfactor = 10);

CREATE TABLE timer_batches (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    mark_due bigint NOT NULL,
    mark_key bigint NOT NULL,
    PRIMARY KEY (partition_id, batch_id)
);

CREATE TABLE timer_blocks (
    partition_id smallint NOT NULL,
    level smallint NOT NULL,
    slot bigint NOT NULL,
    kind smallint NOT NULL,
    batch_id bigint NOT NULL,
    n bigint NOT NULL,
    first_key bigint NOT NULL,
    last_key bigint NOT NULL,
    count bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, level, slot, kind, batch_id, n)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
-- Blocks are packed already: a second try would only cost time.
ALTER TABLE timer_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE timer_places (
    partition_id smallint NOT NULL,
    id bytea NOT NULL,
    key bigint NOT NULL,
    due_at bigint NOT NULL,
    id_due_at bigint NOT NULL,
    generation bigint NOT NULL,
    state smallint NOT NULL,
    PRIMARY KEY (partition_id, id)
);

CREATE TABLE timer_targets (
    partition_id smallint NOT NULL,
    target_id bigint NOT NULL,
    hash bytea NOT NULL,
    lane bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, target_id)
);

CREATE TABLE timer_namespaces (
    partition_id smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    since_due bigint NOT NULL,
    since_key bigint NOT NULL,
    is_resuming boolean NOT NULL,
    PRIMARY KEY (partition_id, tenant, namespace)
);

CREATE TABLE timer_deliveries (
    partition_id smallint NOT NULL,
    lane bigint NOT NULL,
    batch_id bigint NOT NULL,
    n bigint NOT NULL,
    first_key bigint NOT NULL,
    count bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, lane, batch_id, n)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE timer_deliveries ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE timer_failures (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    generation bigint NOT NULL,
    at bigint NOT NULL,
    reason text NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key, generation)
);
