-- Entities: one table for what lives, one for what has ended.

CREATE TABLE process_definitions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    version_tag text COLLATE "C",
    name text COLLATE "C",
    resource_name text COLLATE "C" NOT NULL,
    deployment_key bigint NOT NULL,
    has_start_form boolean NOT NULL,
    state text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
);
-- Joined to every search; all definitions are of one partition.
CREATE INDEX process_definitions_by_key ON process_definitions (key);
CREATE UNIQUE INDEX process_definitions_by_id ON process_definitions (process_id, tenant, version);

CREATE TABLE process_files (
    partition_id smallint NOT NULL,
    definition_key bigint NOT NULL,
    xml text COLLATE "C" NOT NULL,
    PRIMARY KEY (partition_id, definition_key)
);

CREATE TABLE forms (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    form_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    version_tag text COLLATE "C",
    deployment_key bigint NOT NULL,
    is_deleted boolean NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
);
CREATE UNIQUE INDEX forms_by_id ON forms (form_id, tenant, version);

CREATE TABLE resources (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    resource_name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    version_tag text COLLATE "C",
    deployment_key bigint NOT NULL,
    is_deleted boolean NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
);
CREATE UNIQUE INDEX resources_by_id ON resources (resource_id, tenant, version);

CREATE TABLE start_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    definition_key bigint NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
);
CREATE INDEX start_subscriptions_by_name ON start_subscriptions (name, tenant, kind);
CREATE INDEX start_subscriptions_by_process ON start_subscriptions (process_id, tenant);

CREATE TABLE process_instances (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    parent_key bigint,
    parent_element bigint,
    state text COLLATE "C" NOT NULL,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE "C",
    tags text COLLATE "C",
    flows bytea NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX process_instances_by_definition ON process_instances (definition_key);
CREATE INDEX process_instances_by_parent
    ON process_instances (parent_key, parent_element)
    WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_by_business_id ON process_instances (business_id) WHERE business_id IS NOT NULL;

CREATE TABLE process_instances_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    parent_key bigint,
    parent_element bigint,
    state text COLLATE "C" NOT NULL,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE "C",
    tags text COLLATE "C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX process_instances_history_by_definition_and_start
    ON process_instances_history (definition_key, started_at);
CREATE INDEX process_instances_history_by_start ON process_instances_history (started_at);
CREATE INDEX process_instances_history_by_parent
    ON process_instances_history (parent_key, parent_element)
    WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_by_business_id
    ON process_instances_history (business_id)
    WHERE business_id IS NOT NULL;

CREATE TABLE element_instances (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    parent_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX element_instances_by_scope ON element_instances (instance_key, parent_key);

CREATE TABLE element_instances_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    parent_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX element_instances_history_by_instance ON element_instances_history (instance_key);

-- Variables are all columns: a blob would hold each value a second time.
CREATE TABLE variables (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    scope_key bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX variables_by_scope ON variables (instance_key, scope_key);

CREATE TABLE variables_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    scope_key bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX variables_history_by_instance ON variables_history (instance_key);

CREATE TABLE jobs (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    job_type text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE "C",
    worker text COLLATE "C",
    deadline bigint,
    error_code text COLLATE "C",
    error_message text COLLATE "C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE "C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    is_waiting boolean NOT NULL,
    lease_key bigint,
    lease_floor bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX jobs_by_element ON jobs (instance_key, element_instance);
CREATE INDEX jobs_waiting ON jobs (partition_id, job_type, priority DESC, key) WHERE is_waiting;
CREATE INDEX jobs_leased ON jobs (lease_key) WHERE lease_key IS NOT NULL;

CREATE TABLE jobs_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    job_type text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE "C",
    worker text COLLATE "C",
    deadline bigint,
    error_code text COLLATE "C",
    error_message text COLLATE "C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE "C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX jobs_history_by_instance ON jobs_history (instance_key);

CREATE TABLE job_leases (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    worker text COLLATE "C" NOT NULL,
    deadline bigint NOT NULL,
    jobs text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);

CREATE TABLE user_tasks (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    assignee text COLLATE "C",
    candidate_users text COLLATE "C",
    candidate_groups text COLLATE "C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE "C",
    headers text COLLATE "C",
    business_id text COLLATE "C",
    tags text COLLATE "C",
    created_at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX user_tasks_by_element ON user_tasks (instance_key, element_instance);
CREATE INDEX user_tasks_by_assignee ON user_tasks (assignee) WHERE assignee IS NOT NULL;

CREATE TABLE user_tasks_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    assignee text COLLATE "C",
    candidate_users text COLLATE "C",
    candidate_groups text COLLATE "C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE "C",
    headers text COLLATE "C",
    business_id text COLLATE "C",
    tags text COLLATE "C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX user_tasks_history_by_instance ON user_tasks_history (instance_key);
CREATE INDEX user_tasks_history_by_assignee ON user_tasks_history (assignee) WHERE assignee IS NOT NULL;

CREATE TABLE incidents (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    message_hash bigint NOT NULL,
    job_key bigint,
    state text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX incidents_by_element ON incidents (instance_key, element_instance);

CREATE TABLE incidents_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    message_hash bigint NOT NULL,
    job_key bigint,
    state text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX incidents_history_by_instance ON incidents_history (instance_key);

-- The truth of the schedule, in its order. `owner_key` is the instance, definition or message that a timer
-- serves; `element_instance` is 0 where there is none.
CREATE TABLE timers (
    partition_id smallint NOT NULL,
    due_at bigint NOT NULL,
    key bigint NOT NULL,
    owner_key bigint NOT NULL,
    element_instance bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, due_at, key)
);
CREATE INDEX timers_by_owner ON timers (owner_key, element_instance);

CREATE TABLE messages (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX messages_by_box ON messages (correlation_key, name, tenant);

CREATE TABLE box_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX box_subscriptions_by_box ON box_subscriptions (correlation_key, name, tenant);

CREATE TABLE start_locks (
    partition_id smallint NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, correlation_key, process_id, tenant)
) WITH (fillfactor = 80);

CREATE TABLE message_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    message_name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    business_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX message_subscriptions_by_element ON message_subscriptions (instance_key, element_instance);

CREATE TABLE message_subscriptions_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    message_name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    business_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (partition_id, key, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX message_subscriptions_history_by_instance ON message_subscriptions_history (instance_key);
CREATE VIEW message_subscriptions_shown AS
SELECT partition_id, key, instance_key, root_key, definition_key, tenant, element_instance, element_id,
    message_name, correlation_key, business_id, state, updated_at
FROM message_subscriptions
UNION ALL
SELECT partition_id, key, NULL, NULL, definition_key, tenant, NULL, element_id,
    name, NULL, NULL, 'CREATED', updated_at
FROM start_subscriptions WHERE kind = 'MESSAGE';


CREATE TABLE message_correlations_history (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    element_instance bigint,
    element_id text COLLATE "C" NOT NULL,
    message_name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    business_id text COLLATE "C",
    correlated_at bigint NOT NULL,
    PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at)
) PARTITION BY RANGE (correlated_at);
CREATE INDEX message_correlations_history_by_instance ON message_correlations_history (instance_key);

CREATE TABLE signal_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    element_instance bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    signal_name text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, key)
) WITH (fillfactor = 80);
CREATE INDEX signal_subscriptions_by_element ON signal_subscriptions (instance_key, element_instance);
CREATE INDEX signal_subscriptions_by_name ON signal_subscriptions (partition_id, signal_name, tenant, key);

CREATE TABLE loop_inputs (
    partition_id smallint NOT NULL,
    body_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, body_key)
);
CREATE INDEX loop_inputs_by_instance ON loop_inputs (instance_key, body_key);

CREATE TABLE loop_outputs (
    partition_id smallint NOT NULL,
    instance_key bigint NOT NULL,
    body_key bigint NOT NULL,
    loop_counter bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, instance_key, body_key, loop_counter)
);

-- Rows of live tables come and go: their space must be free again long before a share of the table is dead.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['inbox', 'element_counts', 'process_instances', 'element_instances', 'variables', 'jobs',
        'job_leases', 'user_tasks', 'incidents', 'timers', 'messages', 'box_subscriptions', 'start_locks',
        'message_subscriptions', 'signal_subscriptions', 'loop_inputs', 'loop_outputs', 'results', 'idempotency']
    LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.02, '
            'autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0, '
            'autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 1000)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['partitions', 'naps', 'nodes', 'settings']
    LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0, '
            'autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0)', name);
    END LOOP;
END $$;
