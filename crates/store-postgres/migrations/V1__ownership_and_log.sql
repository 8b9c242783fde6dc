-- Live tables hold what can still change; history tables what has ended. Rows of both have the same columns,
-- live ones also the engine's whole entity in `data`. Keys carry their partition above bit 51, and every table
-- leads with it, so that the order of keys is the order of the primary key. History and the command log are
-- partitioned by time; the partitions themselves are made by the server, day by day.

CREATE TABLE settings (name text PRIMARY KEY, value bigint NOT NULL);

CREATE TABLE partitions (
    partition_id smallint PRIMARY KEY,
    holder text,
    epoch bigint NOT NULL,
    next_key bigint NOT NULL,
    expires_at timestamptz,
    -- The last epoch that ended by a release and not by a death.
    released_epoch bigint NOT NULL
) WITH (fillfactor = 10);

-- Whether the owner of a partition sleeps so deeply that only a notification wakes it.
CREATE TABLE naps (partition_id smallint PRIMARY KEY, is_asleep boolean NOT NULL) WITH (fillfactor = 10);

CREATE TABLE nodes (
    holder text PRIMARY KEY,
    address text,
    version text NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE SEQUENCE positions;

CREATE TABLE inbox (
    partition_id smallint NOT NULL,
    position bigint NOT NULL DEFAULT nextval('positions'),
    received_at bigint NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    payload bytea NOT NULL,
    PRIMARY KEY (partition_id, position)
);

CREATE TABLE batches (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL,
    PRIMARY KEY (partition_id, batch_id, at)
) PARTITION BY RANGE (at);
CREATE INDEX batches_by_time ON batches (partition_id, at);

CREATE TABLE results (
    partition_id smallint NOT NULL,
    position bigint NOT NULL,
    at bigint NOT NULL,
    answer bytea NOT NULL,
    PRIMARY KEY (partition_id, position)
);
CREATE INDEX results_by_age ON results (at);

CREATE TABLE dead_letters (
    partition_id smallint NOT NULL,
    number bigint NOT NULL DEFAULT nextval('positions'),
    position bigint,
    at bigint NOT NULL,
    reason text NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (partition_id, number)
);

CREATE TABLE idempotency (
    partition_id smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    body_hash bigint NOT NULL,
    answer bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (partition_id, tenant, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- How many rows of element_instances_history there are: a diagram shows these numbers over millions of rows.
-- Batches only insert; now and then the owner folds what has come together.
CREATE TABLE element_counts (
    partition_id smallint NOT NULL,
    number bigint NOT NULL DEFAULT nextval('positions'),
    definition_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (partition_id, number, definition_key, element_id, state)
);
