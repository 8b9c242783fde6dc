-- Live tables hold what can still change; history tables what has ended. Rows of both have the same columns,
-- live ones also the engine's whole entity in `data`. Keys carry their partition above bit 51.

CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE partitions (
    partition_id INTEGER PRIMARY KEY,
    holder TEXT,
    epoch INTEGER NOT NULL,
    next_key INTEGER NOT NULL,
    expires_at INTEGER,
    was_released INTEGER NOT NULL
);

CREATE TABLE nodes (
    holder TEXT PRIMARY KEY,
    address TEXT,
    version TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- AUTOINCREMENT, so that a position is never given out twice.
CREATE TABLE inbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    payload BLOB NOT NULL
);
CREATE INDEX inbox_by_partition ON inbox (partition_id);

CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    partition_id INTEGER NOT NULL,
    batch_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    highest_key INTEGER NOT NULL,
    log BLOB NOT NULL
);
CREATE UNIQUE INDEX batches_by_id ON batches (partition_id, batch_id);

CREATE TABLE results (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, answer BLOB NOT NULL);

CREATE TABLE dead_letters (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    position INTEGER,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX dead_letters_by_position ON dead_letters (position) WHERE position IS NOT NULL;

CREATE TABLE idempotency (
    partition_id INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash INTEGER NOT NULL,
    answer BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (partition_id, tenant, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE process_definitions (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    process_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    version_tag TEXT,
    name TEXT,
    resource_name TEXT NOT NULL,
    deployment_key INTEGER NOT NULL,
    has_start_form INTEGER NOT NULL,
    state TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX process_definitions_by_id ON process_definitions (process_id, tenant, version);

CREATE TABLE process_files (definition_key INTEGER PRIMARY KEY, xml TEXT NOT NULL);

CREATE TABLE forms (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    form_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    version_tag TEXT,
    deployment_key INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX forms_by_id ON forms (form_id, tenant, version);

CREATE TABLE resources (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    resource_name TEXT NOT NULL,
    version INTEGER NOT NULL,
    version_tag TEXT,
    deployment_key INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX resources_by_id ON resources (resource_id, tenant, version);

CREATE TABLE start_subscriptions (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    definition_key INTEGER NOT NULL,
    process_id TEXT NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX start_subscriptions_by_name ON start_subscriptions (name, tenant, kind);
CREATE INDEX start_subscriptions_by_process ON start_subscriptions (process_id, tenant);

CREATE TABLE process_instances (
    key INTEGER PRIMARY KEY,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    parent_key INTEGER,
    parent_element INTEGER,
    state TEXT NOT NULL,
    has_incident INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    business_id TEXT,
    tags TEXT,
    flows BLOB NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX process_instances_by_definition ON process_instances (definition_key);
CREATE INDEX process_instances_by_parent ON process_instances (parent_key, parent_element)
    WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_by_business_id ON process_instances (business_id) WHERE business_id IS NOT NULL;

CREATE TABLE process_instances_history (
    key INTEGER PRIMARY KEY,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    parent_key INTEGER,
    parent_element INTEGER,
    state TEXT NOT NULL,
    has_incident INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    business_id TEXT,
    tags TEXT,
    flows BLOB NOT NULL,
    ended_at INTEGER NOT NULL
);
-- The first serves pages in the order of keys, the others lists with the newest first.
CREATE INDEX process_instances_history_by_definition ON process_instances_history (definition_key);
CREATE INDEX process_instances_history_by_definition_and_start
    ON process_instances_history (definition_key, started_at);
CREATE INDEX process_instances_history_by_start ON process_instances_history (started_at);
CREATE INDEX process_instances_history_by_end ON process_instances_history (ended_at);
CREATE INDEX process_instances_history_by_parent ON process_instances_history (parent_key, parent_element)
    WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_by_business_id ON process_instances_history (business_id)
    WHERE business_id IS NOT NULL;

CREATE TABLE element_instances (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    parent_key INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    incident_key INTEGER,
    has_incident INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX element_instances_by_scope ON element_instances (instance_key, parent_key);

CREATE TABLE element_instances_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    parent_key INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    incident_key INTEGER,
    has_incident INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL
);
CREATE INDEX element_instances_history_by_instance ON element_instances_history (instance_key);

-- How many rows of element_instances_history there are: a diagram shows these numbers over millions of rows.
CREATE TABLE element_counts (
    definition_key INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (definition_key, element_id, state)
) WITHOUT ROWID;

-- Variables are all columns: a blob would hold each value a second time.
CREATE TABLE variables (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    scope_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL
);
CREATE INDEX variables_by_scope ON variables (instance_key, scope_key);

CREATE TABLE variables_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    scope_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL
);
CREATE INDEX variables_history_by_instance ON variables_history (instance_key);

CREATE TABLE jobs (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    job_type TEXT NOT NULL,
    state TEXT NOT NULL,
    retries INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    headers TEXT,
    worker TEXT,
    deadline INTEGER,
    error_code TEXT,
    error_message TEXT,
    has_failed_with_retries_left INTEGER NOT NULL,
    business_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    is_waiting INTEGER NOT NULL,
    lease_key INTEGER,
    lease_floor INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX jobs_by_element ON jobs (instance_key, element_instance);
CREATE INDEX jobs_waiting ON jobs ((key >> 51), job_type, priority DESC, key) WHERE is_waiting = 1;
CREATE INDEX jobs_leased ON jobs (lease_key) WHERE lease_key IS NOT NULL;

CREATE TABLE jobs_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    job_type TEXT NOT NULL,
    state TEXT NOT NULL,
    retries INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    headers TEXT,
    worker TEXT,
    deadline INTEGER,
    error_code TEXT,
    error_message TEXT,
    has_failed_with_retries_left INTEGER NOT NULL,
    business_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL
);
CREATE INDEX jobs_history_by_instance ON jobs_history (instance_key);

CREATE TABLE job_leases (
    key INTEGER PRIMARY KEY,
    worker TEXT NOT NULL,
    deadline INTEGER NOT NULL,
    jobs TEXT NOT NULL,
    data BLOB NOT NULL
);

CREATE TABLE user_tasks (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    name TEXT,
    state TEXT NOT NULL,
    assignee TEXT,
    candidate_users TEXT,
    candidate_groups TEXT,
    due_at INTEGER,
    follow_up_at INTEGER,
    priority INTEGER NOT NULL,
    form_key INTEGER,
    external_form_reference TEXT,
    headers TEXT,
    business_id TEXT,
    tags TEXT,
    created_at INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX user_tasks_by_element ON user_tasks (instance_key, element_instance);
CREATE INDEX user_tasks_by_assignee ON user_tasks (assignee) WHERE assignee IS NOT NULL;

CREATE TABLE user_tasks_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    name TEXT,
    state TEXT NOT NULL,
    assignee TEXT,
    candidate_users TEXT,
    candidate_groups TEXT,
    due_at INTEGER,
    follow_up_at INTEGER,
    priority INTEGER NOT NULL,
    form_key INTEGER,
    external_form_reference TEXT,
    headers TEXT,
    business_id TEXT,
    tags TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL
);
CREATE INDEX user_tasks_history_by_instance ON user_tasks_history (instance_key);
CREATE INDEX user_tasks_history_by_assignee ON user_tasks_history (assignee) WHERE assignee IS NOT NULL;

CREATE TABLE incidents (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    message_hash INTEGER NOT NULL,
    job_key INTEGER,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX incidents_by_element ON incidents (instance_key, element_instance);

CREATE TABLE incidents_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    message_hash INTEGER NOT NULL,
    job_key INTEGER,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL
);
CREATE INDEX incidents_history_by_instance ON incidents_history (instance_key);

-- The truth of the schedule, in its order. `owner_key` is the instance, definition or message that a timer
-- serves; `element_instance` is 0 where there is none.
CREATE TABLE timers (
    partition_id INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    key INTEGER NOT NULL,
    owner_key INTEGER NOT NULL,
    element_instance INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (partition_id, due_at, key)
) WITHOUT ROWID;
CREATE INDEX timers_by_owner ON timers (owner_key, element_instance);

CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX messages_by_box ON messages (correlation_key, name, tenant);

CREATE TABLE box_subscriptions (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX box_subscriptions_by_box ON box_subscriptions (correlation_key, name, tenant);

CREATE TABLE start_locks (
    correlation_key TEXT NOT NULL,
    process_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (correlation_key, process_id, tenant)
) WITHOUT ROWID;

CREATE TABLE message_subscriptions (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    message_name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    business_id TEXT,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX message_subscriptions_by_element ON message_subscriptions (instance_key, element_instance);

CREATE TABLE message_subscriptions_history (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER NOT NULL,
    element_id TEXT NOT NULL,
    message_name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    business_id TEXT,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX message_subscriptions_history_by_instance ON message_subscriptions_history (instance_key);

CREATE VIEW message_subscriptions_shown AS
SELECT key, instance_key, root_key, definition_key, tenant, element_instance, element_id, message_name,
    correlation_key, business_id, state, updated_at
FROM message_subscriptions
UNION ALL
SELECT key, NULL, NULL, definition_key, tenant, NULL, element_id, name, NULL, NULL, 'CREATED', updated_at
FROM start_subscriptions WHERE kind = 'MESSAGE';

CREATE TABLE message_correlations_history (
    subscription_key INTEGER NOT NULL,
    message_key INTEGER NOT NULL,
    instance_key INTEGER NOT NULL,
    root_key INTEGER NOT NULL,
    definition_key INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    element_instance INTEGER,
    element_id TEXT NOT NULL,
    message_name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    business_id TEXT,
    correlated_at INTEGER NOT NULL,
    PRIMARY KEY (subscription_key, message_key)
) WITHOUT ROWID;
CREATE INDEX message_correlations_history_by_instance ON message_correlations_history (instance_key);

CREATE TABLE signal_subscriptions (
    key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    element_instance INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    signal_name TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX signal_subscriptions_by_element ON signal_subscriptions (instance_key, element_instance);
CREATE INDEX signal_subscriptions_by_name ON signal_subscriptions ((key >> 51), signal_name, tenant, key);

CREATE TABLE loop_inputs (
    body_key INTEGER PRIMARY KEY,
    instance_key INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX loop_inputs_by_instance ON loop_inputs (instance_key, body_key);

CREATE TABLE loop_outputs (
    instance_key INTEGER NOT NULL,
    body_key INTEGER NOT NULL,
    loop_counter INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (instance_key, body_key, loop_counter)
) WITHOUT ROWID;
