-- A Postgres schema of an earlier version, in which instances of fork.bpmn are under way: see test_upgrade.py.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA tidemill;
SET default_tablespace = '';
CREATE TABLE tidemill.batches (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL
)
PARTITION BY RANGE (at);
CREATE TABLE tidemill.batches_d20775 (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.batches_d20776 (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.batches_d20777 (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.batches_default (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    log bytea NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.box_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE SEQUENCE tidemill.positions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE tidemill.dead_letters (
    partition_id smallint NOT NULL,
    number bigint DEFAULT nextval('tidemill.positions'::regclass) NOT NULL,
    "position" bigint,
    at bigint NOT NULL,
    reason text NOT NULL,
    payload bytea NOT NULL
);
CREATE TABLE tidemill.element_counts (
    partition_id smallint NOT NULL,
    number bigint DEFAULT nextval('tidemill.positions'::regclass) NOT NULL,
    definition_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.element_instances (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.element_instances_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.element_instances_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.element_instances_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.element_instances_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.element_instances_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    incident_key bigint,
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.forms (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    form_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    version_tag text COLLATE pg_catalog."C",
    deployment_key bigint NOT NULL,
    is_deleted boolean NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE tidemill.idempotency (
    partition_id smallint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    body_hash bigint NOT NULL,
    answer bytea NOT NULL,
    created_at bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.in_hand (
    partition_id smallint NOT NULL,
    note bytea NOT NULL
);
CREATE TABLE tidemill.inbox (
    partition_id smallint NOT NULL,
    "position" bigint DEFAULT nextval('tidemill.positions'::regclass) NOT NULL,
    received_at bigint NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    payload bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.incidents (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.incidents_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.incidents_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.incidents_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.incidents_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.incidents_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    message_hash bigint NOT NULL,
    job_key bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.job_leases (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    worker text NOT NULL COLLATE pg_catalog."C",
    deadline bigint NOT NULL,
    jobs text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.jobs (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    is_waiting boolean NOT NULL,
    lease_key bigint,
    lease_floor bigint NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.jobs_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.jobs_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.jobs_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.jobs_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.jobs_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    job_type text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    retries bigint NOT NULL,
    priority bigint NOT NULL,
    headers text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    deadline bigint,
    error_code text COLLATE pg_catalog."C",
    error_message text COLLATE pg_catalog."C",
    has_failed_with_retries_left boolean NOT NULL,
    business_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.loop_inputs (
    partition_id smallint NOT NULL,
    body_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    data bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.loop_outputs (
    partition_id smallint NOT NULL,
    instance_key bigint NOT NULL,
    body_key bigint NOT NULL,
    loop_counter bigint NOT NULL,
    data bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.message_correlations_history (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    correlated_at bigint NOT NULL
)
PARTITION BY RANGE (correlated_at);
CREATE TABLE tidemill.message_correlations_history_d20775 (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    correlated_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_correlations_history_d20776 (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    correlated_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_correlations_history_d20777 (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    correlated_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_correlations_history_default (
    partition_id smallint NOT NULL,
    subscription_key bigint NOT NULL,
    message_key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    correlated_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.message_subscriptions_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.message_subscriptions_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_subscriptions_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_subscriptions_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.message_subscriptions_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    message_name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.start_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    definition_key bigint NOT NULL,
    process_id text NOT NULL COLLATE pg_catalog."C",
    element_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    data bytea NOT NULL
);
CREATE VIEW tidemill.message_subscriptions_shown AS
 SELECT message_subscriptions.partition_id,
    message_subscriptions.key,
    message_subscriptions.instance_key,
    message_subscriptions.root_key,
    message_subscriptions.definition_key,
    message_subscriptions.tenant,
    message_subscriptions.element_instance,
    message_subscriptions.element_id,
    message_subscriptions.message_name,
    message_subscriptions.correlation_key,
    message_subscriptions.business_id,
    message_subscriptions.state,
    message_subscriptions.updated_at
   FROM tidemill.message_subscriptions
UNION ALL
 SELECT start_subscriptions.partition_id,
    start_subscriptions.key,
    NULL::bigint AS instance_key,
    NULL::bigint AS root_key,
    start_subscriptions.definition_key,
    start_subscriptions.tenant,
    NULL::bigint AS element_instance,
    start_subscriptions.element_id,
    start_subscriptions.name AS message_name,
    NULL::text AS correlation_key,
    NULL::text AS business_id,
    'CREATED'::text AS state,
    start_subscriptions.updated_at
   FROM tidemill.start_subscriptions
  WHERE (start_subscriptions.kind = 'MESSAGE'::text);
CREATE TABLE tidemill.messages (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.sleeping_owners (
    partition_id smallint NOT NULL,
    is_asleep boolean NOT NULL
)
WITH (fillfactor='10', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100', autovacuum_vacuum_cost_delay='0');
CREATE VIEW tidemill.naps AS
 SELECT sleeping_owners.partition_id,
    sleeping_owners.is_asleep
   FROM tidemill.sleeping_owners;
CREATE TABLE tidemill.nodes (
    holder text NOT NULL,
    address text,
    version text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    is_draining boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100', autovacuum_vacuum_cost_delay='0');
CREATE TABLE tidemill.partitions (
    partition_id smallint NOT NULL,
    holder text,
    epoch bigint NOT NULL,
    next_key bigint NOT NULL,
    expires_at timestamp with time zone,
    released_epoch bigint NOT NULL,
    preferred text
)
WITH (fillfactor='10', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100', autovacuum_vacuum_cost_delay='0');
CREATE TABLE tidemill.process_definitions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    process_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    version_tag text COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    resource_name text NOT NULL COLLATE pg_catalog."C",
    deployment_key bigint NOT NULL,
    has_start_form boolean NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
);
CREATE TABLE tidemill.process_files (
    partition_id smallint NOT NULL,
    definition_key bigint NOT NULL,
    xml text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE tidemill.process_instances (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.process_instances_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.process_instances_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.process_instances_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.process_instances_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.process_instances_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    parent_key bigint,
    parent_element bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    has_incident boolean NOT NULL,
    started_at bigint NOT NULL,
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    flows bytea NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.resources (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    resource_id text NOT NULL COLLATE pg_catalog."C",
    resource_name text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    version_tag text COLLATE pg_catalog."C",
    deployment_key bigint NOT NULL,
    is_deleted boolean NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE tidemill.results (
    partition_id smallint NOT NULL,
    "position" bigint NOT NULL,
    at bigint NOT NULL,
    answer bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.schema_versions (
    version bigint NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE tidemill.settings (
    name text NOT NULL,
    value bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100', autovacuum_vacuum_cost_delay='0');
CREATE TABLE tidemill.signal_subscriptions (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    element_instance bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    signal_name text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.start_locks (
    partition_id smallint NOT NULL,
    correlation_key text NOT NULL COLLATE pg_catalog."C",
    process_id text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.timer_batches (
    partition_id smallint NOT NULL,
    batch_id bigint NOT NULL,
    at bigint NOT NULL,
    highest_key bigint NOT NULL,
    mark_due bigint NOT NULL,
    mark_key bigint NOT NULL
);
CREATE TABLE tidemill.timer_blocks (
    partition_id smallint NOT NULL,
    level smallint NOT NULL,
    slot bigint NOT NULL,
    kind smallint NOT NULL,
    batch_id bigint NOT NULL,
    n bigint NOT NULL,
    first_key bigint NOT NULL,
    last_key bigint NOT NULL,
    count bigint NOT NULL,
    data bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY tidemill.timer_blocks ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE tidemill.timer_deliveries (
    partition_id smallint NOT NULL,
    lane bigint NOT NULL,
    batch_id bigint NOT NULL,
    n bigint NOT NULL,
    first_key bigint NOT NULL,
    count bigint NOT NULL,
    data bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY tidemill.timer_deliveries ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE tidemill.timer_failures (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    generation bigint NOT NULL,
    at bigint NOT NULL,
    reason text NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE tidemill.timer_namespaces (
    partition_id smallint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    since_due bigint NOT NULL,
    since_key bigint NOT NULL,
    is_resuming boolean NOT NULL
);
CREATE TABLE tidemill.timer_places (
    partition_id smallint NOT NULL,
    id bytea NOT NULL,
    key bigint NOT NULL,
    due_at bigint NOT NULL,
    id_due_at bigint NOT NULL,
    generation bigint NOT NULL,
    state smallint NOT NULL
);
CREATE TABLE tidemill.timer_shards (
    partition_id smallint NOT NULL,
    holder text,
    epoch bigint NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE tidemill.timer_targets (
    partition_id smallint NOT NULL,
    target_id bigint NOT NULL,
    hash bytea NOT NULL,
    lane bigint NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE tidemill.timers (
    partition_id smallint NOT NULL,
    due_at bigint NOT NULL,
    key bigint NOT NULL,
    owner_key bigint NOT NULL,
    element_instance bigint NOT NULL,
    data bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.user_tasks (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    data bytea NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.user_tasks_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.user_tasks_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.user_tasks_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.user_tasks_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.user_tasks_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    element_instance bigint NOT NULL,
    element_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    assignee text COLLATE pg_catalog."C",
    candidate_users text COLLATE pg_catalog."C",
    candidate_groups text COLLATE pg_catalog."C",
    due_at bigint,
    follow_up_at bigint,
    priority bigint NOT NULL,
    form_key bigint,
    external_form_reference text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    business_id text COLLATE pg_catalog."C",
    tags text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.variables (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', autovacuum_analyze_threshold='1000');
CREATE TABLE tidemill.variables_history (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint NOT NULL
)
PARTITION BY RANGE (ended_at);
CREATE TABLE tidemill.variables_history_d20775 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.variables_history_d20776 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.variables_history_d20777 (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
CREATE TABLE tidemill.variables_history_default (
    partition_id smallint NOT NULL,
    key bigint NOT NULL,
    instance_key bigint NOT NULL,
    root_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    scope_key bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_analyze_scale_factor='0.2');
ALTER TABLE ONLY tidemill.batches ATTACH PARTITION tidemill.batches_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.batches ATTACH PARTITION tidemill.batches_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.batches ATTACH PARTITION tidemill.batches_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.batches ATTACH PARTITION tidemill.batches_default DEFAULT;
ALTER TABLE ONLY tidemill.element_instances_history ATTACH PARTITION tidemill.element_instances_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.element_instances_history ATTACH PARTITION tidemill.element_instances_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.element_instances_history ATTACH PARTITION tidemill.element_instances_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.element_instances_history ATTACH PARTITION tidemill.element_instances_history_default DEFAULT;
ALTER TABLE ONLY tidemill.incidents_history ATTACH PARTITION tidemill.incidents_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.incidents_history ATTACH PARTITION tidemill.incidents_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.incidents_history ATTACH PARTITION tidemill.incidents_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.incidents_history ATTACH PARTITION tidemill.incidents_history_default DEFAULT;
ALTER TABLE ONLY tidemill.jobs_history ATTACH PARTITION tidemill.jobs_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.jobs_history ATTACH PARTITION tidemill.jobs_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.jobs_history ATTACH PARTITION tidemill.jobs_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.jobs_history ATTACH PARTITION tidemill.jobs_history_default DEFAULT;
ALTER TABLE ONLY tidemill.message_correlations_history ATTACH PARTITION tidemill.message_correlations_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.message_correlations_history ATTACH PARTITION tidemill.message_correlations_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.message_correlations_history ATTACH PARTITION tidemill.message_correlations_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.message_correlations_history ATTACH PARTITION tidemill.message_correlations_history_default DEFAULT;
ALTER TABLE ONLY tidemill.message_subscriptions_history ATTACH PARTITION tidemill.message_subscriptions_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.message_subscriptions_history ATTACH PARTITION tidemill.message_subscriptions_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.message_subscriptions_history ATTACH PARTITION tidemill.message_subscriptions_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.message_subscriptions_history ATTACH PARTITION tidemill.message_subscriptions_history_default DEFAULT;
ALTER TABLE ONLY tidemill.process_instances_history ATTACH PARTITION tidemill.process_instances_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.process_instances_history ATTACH PARTITION tidemill.process_instances_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.process_instances_history ATTACH PARTITION tidemill.process_instances_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.process_instances_history ATTACH PARTITION tidemill.process_instances_history_default DEFAULT;
ALTER TABLE ONLY tidemill.user_tasks_history ATTACH PARTITION tidemill.user_tasks_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.user_tasks_history ATTACH PARTITION tidemill.user_tasks_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.user_tasks_history ATTACH PARTITION tidemill.user_tasks_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.user_tasks_history ATTACH PARTITION tidemill.user_tasks_history_default DEFAULT;
ALTER TABLE ONLY tidemill.variables_history ATTACH PARTITION tidemill.variables_history_d20775 FOR VALUES FROM ('1794960000000') TO ('1795046400000');
ALTER TABLE ONLY tidemill.variables_history ATTACH PARTITION tidemill.variables_history_d20776 FOR VALUES FROM ('1795046400000') TO ('1795132800000');
ALTER TABLE ONLY tidemill.variables_history ATTACH PARTITION tidemill.variables_history_d20777 FOR VALUES FROM ('1795132800000') TO ('1795219200000');
ALTER TABLE ONLY tidemill.variables_history ATTACH PARTITION tidemill.variables_history_default DEFAULT;
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967297, 1794986623887, 2, '\xdd070000f02e9181a64465706c6f7982a674656e616e74a93c64656661756c743ea566696c65739182a46e616d65a9666f726b2e62706d6ea7636f6e74656e74dc07a02b00f22d696e6974696f6e7320786d6c6e733d22687474703a2f2f7777772e6f6d672e6f72672f737065632f42504d4e2f32303130303532342f4d4f44454c223400653a7a656562653a007263616d756e64613a00616368656d612f2100f01b2f312e3022207461726765744e616d6573706163653d2274223e0a20203c70726f636573732069643d22ab00d02220697345786563757461626c2700317275652a00d120203c73746172744576656e742f00010f0020222f4700001d00b1657175656e6365466c6f771f00d466302220736f757263655265662e0003880002120036706c694000f101696e636c75736976654761746577617944000a23000e63001a316300012e000863008161223e3c636f6e646b01ff0345787072657373696f6e3e3d747275653c2f1b0001283c2f67000fdd00061f327a000c1f627a00461f337a000c1f637a00054f66616c73f5001b9172766963655461736b8d01004d0150657874656e4301a1456c656d656e74733e3c6502653a7461736b44d60250207479706532004f2f3e3c2f340000172f5c000563010a6e000041010f3a00000f6e00081f626e00280035010f6e001b1f636e001a0c1c031934c5011461a003011803456a6f696e17030e3b0019353b001f623b001919363b001f633b00070f8d03020f98000c19375d00012d00088b034570616972d60088706172616c6c656cec030921000ef70019385f00012d00085f0015645c000e3b001f393b000b17653b000a84021f6416021e0087000ff20215f602696e7465726d65646961746543617463685b059165223e3c74696d65721300065803021600f00c446174653e323032362d31312d31365431383a35323a30305a3c2f3500011f00020b000e40001f2f7600030585030ca9021a31c6051964340247626f74683d010d3c000a9f051f653c00070f1002010f5d000d0a8205012e0008110220656e8c01029c0631656e64490101c704051900233c2ffd06523e0a3c2f64bc0460696f6e733e0a');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967298, 1794986623897, 9, '\x71000000f0629181ae437265617465496e7374616e636587aa646566696e6974696f6e81a64c6174657374a4666f726ba674656e616e74a93c64656661756c743ea97661726961626c657390a5737461727490af7465726d696e6174655f616674657290a47461677390ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967299, 1794986623907, 16, '\x71000000f0629181ae437265617465496e7374616e636587aa646566696e6974696f6e81a64c6174657374a4666f726ba674656e616e74a93c64656661756c743ea97661726961626c657390a5737461727490af7465726d696e6174655f616674657290a47461677390ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967300, 1794986623909, 23, '\x71000000f0629181ae437265617465496e7374616e636587aa646566696e6974696f6e81a64c6174657374a4666f726ba674656e616e74a93c64656661756c743ea97661726961626c657390a5737461727490af7465726d696e6174655f616674657290a47461677390ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967301, 1794986623914, 24, '\x6b000000f0229181ac41637469766174654a6f627387a86a6f625f74797065a162a6776f726b6572a0aa74696d656f75745f6d73cdea602100f027735f6d617802af66657463685f7661726961626c657390a774656e616e747391a93c64656661756c743eaa776974685f6c65617365c2');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967302, 1794986623919, 24, '\x3b000000f0089181ab436f6d706c6574654a6f6284a36a6f62cf0008000100f01107a97661726961626c657390a56c65617365c0ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967303, 1794986623928, 24, '\x3b000000f0089181ab436f6d706c6574654a6f6284a36a6f62cf0008000100f0110ea97661726961626c657390a56c65617365c0ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967304, 1794986623933, 25, '\x6b000000f0229181ac41637469766174654a6f627387a86a6f625f74797065a161a6776f726b6572a0aa74696d656f75745f6d73cdea602100f027735f6d617801af66657463685f7661726961626c657390a774656e616e747391a93c64656661756c743eaa776974685f6c65617365c2');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967305, 1794986623937, 31, '\x3b000000f0089181ab436f6d706c6574654a6f6284a36a6f62cf0008000100f01109a97661726961626c657390a56c65617365c0ab627573696e6573735f6964c0');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967306, 1794986623944, 32, '\x6b000000f0229181ac41637469766174654a6f627387a86a6f625f74797065a164a6776f726b6572a0aa74696d656f75745f6d73cdea602100f027735f6d617801af66657463685f7661726961626c657390a774656e616e747391a93c64656661756c743eaa776974685f6c65617365c2');
INSERT INTO tidemill.batches_d20775 VALUES (1, 4294967307, 1794986623944, 32, '\x3b000000f0089181ab436f6d706c6574654a6f6284a36a6f62cf0008000100f0111fa97661726961626c657390a56c65617365c0ab627573696e6573735f6964c0');
INSERT INTO tidemill.element_counts VALUES (1, 1, 2251799813685250, 'start', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 2, 2251799813685250, 'split', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 3, 2251799813685250, 'start', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 4, 2251799813685250, 'split', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 5, 2251799813685250, 'start', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 6, 2251799813685250, 'split', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 7, 2251799813685250, 'b', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 8, 2251799813685250, 'b', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 9, 2251799813685250, 'join', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 10, 2251799813685250, 'pair', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 11, 2251799813685250, 'a', 'COMPLETED', 1);
INSERT INTO tidemill.element_counts VALUES (1, 12, 2251799813685250, 'd', 'COMPLETED', 1);
INSERT INTO tidemill.element_instances VALUES (1, 2251799813685263, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685258, 'a', 'SERVICE_TASK', 'ACTIVE', NULL, false, 1794854869000, '\x8da36b6579cf000800000000000fa66f726967696e84a8696e7374616e6365cf000800000000000aa4726f6f74cf000800000000000aaa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea7656c656d656e7403aa656c656d656e745f6964a161a46b696e64ac534552564943455f5441534ba6706172656e74cf000800000000000aa57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706582a86368696c6472656e00a5666c6f777300ac6c6f6f705f636f756e74657200a36a6f62cf0008000000000010b063616c6c65645f696e636964656e747300');
INSERT INTO tidemill.element_instances VALUES (1, 2251799813685268, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685265, 'b', 'SERVICE_TASK', 'ACTIVE', NULL, false, 1794854869000, '\x8da36b6579cf0008000000000014a66f726967696e84a8696e7374616e6365cf0008000000000011a4726f6f74cf0008000000000011aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea7656c656d656e7404aa656c656d656e745f6964a162a46b696e64ac534552564943455f5441534ba6706172656e74cf0008000000000011a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706582a86368696c6472656e00a5666c6f777300ac6c6f6f705f636f756e74657200a36a6f62cf0008000000000015b063616c6c65645f696e636964656e747300');
INSERT INTO tidemill.element_instances VALUES (1, 2251799813685270, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685265, 'a', 'SERVICE_TASK', 'ACTIVE', NULL, false, 1794854869000, '\x8da36b6579cf0008000000000016a66f726967696e84a8696e7374616e6365cf0008000000000011a4726f6f74cf0008000000000011aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea7656c656d656e7403aa656c656d656e745f6964a161a46b696e64ac534552564943455f5441534ba6706172656e74cf0008000000000011a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706582a86368696c6472656e00a5666c6f777300ac6c6f6f705f636f756e74657200a36a6f62cf0008000000000017b063616c6c65645f696e636964656e747300');
INSERT INTO tidemill.element_instances VALUES (1, 2251799813685276, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'e', 'INTERMEDIATE_CATCH_EVENT', 'ACTIVE', NULL, false, 1794854869000, '\x8ca36b6579cf000800000000001ca66f726967696e84a8696e7374616e6365cf0008000000000003a4726f6f74cf0008000000000003aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea7656c656d656e7409aa656c656d656e745f6964a165a46b696e64b8494e5445524d4544494154455f43415443485f4556454e54a6706172656e74cf0008000000000003a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706582a86368696c6472656e00a5666c6f777300ac6c6f6f705f636f756e74657200b063616c6c65645f696e636964656e747300');
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685252, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'start', 'START_EVENT', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685253, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'split', 'INCLUSIVE_GATEWAY', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685259, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685258, 'start', 'START_EVENT', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685260, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685258, 'split', 'INCLUSIVE_GATEWAY', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685266, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685265, 'start', 'START_EVENT', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685267, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685265, 'split', 'INCLUSIVE_GATEWAY', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685254, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'b', 'SERVICE_TASK', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685261, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685258, 'b', 'SERVICE_TASK', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685256, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'a', 'SERVICE_TASK', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685274, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'join', 'INCLUSIVE_GATEWAY', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685275, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'pair', 'PARALLEL_GATEWAY', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.element_instances_history_default VALUES (1, 2251799813685278, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685251, 'd', 'SERVICE_TASK', 'COMPLETED', NULL, false, 1794854869000, 1794854869000);
INSERT INTO tidemill.jobs VALUES (1, 2251799813685264, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685263, 'a', 'BPMN_ELEMENT', 'a', 'CREATED', 3, 0, NULL, NULL, NULL, NULL, NULL, false, NULL, 1794854869000, 1794854869000, true, NULL, 0, '\xde0015a36b6579cf0008000000000010a66f726967696e84a8696e7374616e6365cf000800000000000aa4726f6f74cf000800000000000aaa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743eb0656c656d656e745f696e7374616e6365cf000800000000000fa7656c656d656e7403aa656c656d656e745f6964a161a46b696e64ab42706d6e456c656d656e74a86a6f625f74797065a161a77265747269657303a87072696f7269747900a57374617465a757616974696e67aa6c6173745f6576656e74a743726561746564a768656164657273c0a56c65617365c0a872656c6561736564c0aa6572726f725f636f6465c0ad6572726f725f6d657373616765c0bc6861735f6661696c65645f776974685f726574726965735f6c656674c2ab627573696e6573735f6964c0aa637265617465645f6174cf000001a1e5afd808aa757064617465645f6174cf000001a1e5afd808a8656e6465645f6174c0');
INSERT INTO tidemill.jobs VALUES (1, 2251799813685269, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685268, 'b', 'BPMN_ELEMENT', 'b', 'CREATED', 3, 0, NULL, NULL, NULL, NULL, NULL, false, NULL, 1794854869000, 1794854869000, true, NULL, 0, '\xde0015a36b6579cf0008000000000015a66f726967696e84a8696e7374616e6365cf0008000000000011a4726f6f74cf0008000000000011aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743eb0656c656d656e745f696e7374616e6365cf0008000000000014a7656c656d656e7404aa656c656d656e745f6964a162a46b696e64ab42706d6e456c656d656e74a86a6f625f74797065a162a77265747269657303a87072696f7269747900a57374617465a757616974696e67aa6c6173745f6576656e74a743726561746564a768656164657273c0a56c65617365c0a872656c6561736564c0aa6572726f725f636f6465c0ad6572726f725f6d657373616765c0bc6861735f6661696c65645f776974685f726574726965735f6c656674c2ab627573696e6573735f6964c0aa637265617465645f6174cf000001a1e5afd808aa757064617465645f6174cf000001a1e5afd808a8656e6465645f6174c0');
INSERT INTO tidemill.jobs VALUES (1, 2251799813685271, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', 2251799813685270, 'a', 'BPMN_ELEMENT', 'a', 'CREATED', 3, 0, NULL, NULL, NULL, NULL, NULL, false, NULL, 1794854869000, 1794854869000, true, NULL, 0, '\xde0015a36b6579cf0008000000000017a66f726967696e84a8696e7374616e6365cf0008000000000011a4726f6f74cf0008000000000011aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743eb0656c656d656e745f696e7374616e6365cf0008000000000016a7656c656d656e7403aa656c656d656e745f6964a161a46b696e64ab42706d6e456c656d656e74a86a6f625f74797065a161a77265747269657303a87072696f7269747900a57374617465a757616974696e67aa6c6173745f6576656e74a743726561746564a768656164657273c0a56c65617365c0a872656c6561736564c0aa6572726f725f636f6465c0ad6572726f725f6d657373616765c0bc6861735f6661696c65645f776974685f726574726965735f6c656674c2ab627573696e6573735f6964c0aa637265617465645f6174cf000001a1e5afd808aa757064617465645f6174cf000001a1e5afd808a8656e6465645f6174c0');
INSERT INTO tidemill.jobs_history_default VALUES (1, 2251799813685255, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685254, 'b', 'BPMN_ELEMENT', 'b', 'COMPLETED', 3, 0, NULL, '', 1794854929000, NULL, NULL, false, NULL, 1794854869000, 1794854869000, 1794854869000);
INSERT INTO tidemill.jobs_history_default VALUES (1, 2251799813685262, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', 2251799813685261, 'b', 'BPMN_ELEMENT', 'b', 'COMPLETED', 3, 0, NULL, '', 1794854929000, NULL, NULL, false, NULL, 1794854869000, 1794854869000, 1794854869000);
INSERT INTO tidemill.jobs_history_default VALUES (1, 2251799813685257, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685256, 'a', 'BPMN_ELEMENT', 'a', 'COMPLETED', 3, 0, NULL, '', 1794854929000, NULL, NULL, false, NULL, 1794854869000, 1794854869000, 1794854869000);
INSERT INTO tidemill.jobs_history_default VALUES (1, 2251799813685279, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', 2251799813685278, 'd', 'BPMN_ELEMENT', 'd', 'COMPLETED', 3, 0, NULL, '', 1794854929000, NULL, NULL, false, NULL, 1794854869000, 1794854869000, 1794854869000);
INSERT INTO tidemill.nodes VALUES ('node-1a1ed8a4316-0472ca46', '127.0.0.1:53827', '0.1.0', '2026-11-18 07:23:43.949084+00', false);
INSERT INTO tidemill.partitions VALUES (1, NULL, 1, 1048577, NULL, 1, NULL);
INSERT INTO tidemill.process_definitions VALUES (1, 2251799813685250, '<default>', 'fork', 1, NULL, NULL, 'fork.bpmn', 2251799813685249, false, 'ACTIVE', '\x8ca36b6579cf0008000000000002a674656e616e74a93c64656661756c743eaa70726f636573735f6964a4666f726ba776657273696f6e01ab76657273696f6e5f746167c0a46e616d65c0ad7265736f757263655f6e616d65a9666f726b2e62706d6ea8636865636b73756dd94038656166626434646530333361393666323261386130633166356237633763363962313139353337643839353137633466393032313634336236666638633737aa6465706c6f796d656e74cf0008000000000001ab6465706c6f7965645f6174cf000001a1e5afd808ae6861735f73746172745f666f726dc2a57374617465a6416374697665');
INSERT INTO tidemill.process_files VALUES (1, 2251799813685250, '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <process id="fork" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f0" sourceRef="start" targetRef="split"/>
    <inclusiveGateway id="split"/>
    <sequenceFlow id="f1" sourceRef="split" targetRef="a"><conditionExpression>=true</conditionExpression></sequenceFlow>
    <sequenceFlow id="f2" sourceRef="split" targetRef="b"><conditionExpression>=true</conditionExpression></sequenceFlow>
    <sequenceFlow id="f3" sourceRef="split" targetRef="c"><conditionExpression>=false</conditionExpression></sequenceFlow>
    <serviceTask id="a"><extensionElements><zeebe:taskDefinition type="a"/></extensionElements></serviceTask>
    <serviceTask id="b"><extensionElements><zeebe:taskDefinition type="b"/></extensionElements></serviceTask>
    <serviceTask id="c"><extensionElements><zeebe:taskDefinition type="c"/></extensionElements></serviceTask>
    <sequenceFlow id="f4" sourceRef="a" targetRef="join"/>
    <sequenceFlow id="f5" sourceRef="b" targetRef="join"/>
    <sequenceFlow id="f6" sourceRef="c" targetRef="join"/>
    <inclusiveGateway id="join"/>
    <sequenceFlow id="f7" sourceRef="join" targetRef="pair"/>
    <parallelGateway id="pair"/>
    <sequenceFlow id="f8" sourceRef="pair" targetRef="d"/>
    <sequenceFlow id="f9" sourceRef="pair" targetRef="e"/>
    <serviceTask id="d"><extensionElements><zeebe:taskDefinition type="d"/></extensionElements></serviceTask>
    <intermediateCatchEvent id="e"><timerEventDefinition><timeDate>2026-11-16T18:52:00Z</timeDate></timerEventDefinition></intermediateCatchEvent>
    <sequenceFlow id="f10" sourceRef="d" targetRef="both"/>
    <sequenceFlow id="f11" sourceRef="e" targetRef="both"/>
    <parallelGateway id="both"/>
    <sequenceFlow id="f12" sourceRef="both" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>
');
INSERT INTO tidemill.process_instances VALUES (1, 2251799813685265, 2251799813685265, 2251799813685250, '<default>', NULL, NULL, 'ACTIVE', false, 1794854869000, NULL, NULL, '\x9107', '\x8da36b6579cf0008000000000011a4726f6f74cf0008000000000011aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea6706172656e74c0aa63616c6c5f646570746800ab627573696e6573735f6964c0a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706582a86368696c6472656e02a5666c6f777300ab666c6f77735f74616b656e9107a9696e636964656e747300');
INSERT INTO tidemill.process_instances VALUES (1, 2251799813685258, 2251799813685258, 2251799813685250, '<default>', NULL, NULL, 'ACTIVE', false, 1794854869000, NULL, NULL, '\x9127', '\x8da36b6579cf000800000000000aa4726f6f74cf000800000000000aaa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea6706172656e74c0aa63616c6c5f646570746800ab627573696e6573735f6964c0a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706583a86368696c6472656e01a5666c6f777301a777616974696e679183a76761746577617906a4666c6f7705a5636f756e7401ab666c6f77735f74616b656e9127a9696e636964656e747300');
INSERT INTO tidemill.process_instances VALUES (1, 2251799813685251, 2251799813685251, 2251799813685250, '<default>', NULL, NULL, 'ACTIVE', false, 1794854869000, NULL, NULL, '\x91cd07b7', '\x8da36b6579cf0008000000000003a4726f6f74cf0008000000000003aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743ea6706172656e74c0aa63616c6c5f646570746800ab627573696e6573735f6964c0a57374617465a9416374697661746564aa737461727465645f6174cf000001a1e5afd808a8656e6465645f6174c0a573636f706583a86368696c6472656e01a5666c6f777301a777616974696e679183a7676174657761790aa4666c6f770aa5636f756e7401ab666c6f77735f74616b656e91cd07b7a9696e636964656e747300');
INSERT INTO tidemill.schema_versions VALUES (1, '2026-11-18 07:23:43.466697+00');
INSERT INTO tidemill.schema_versions VALUES (2, '2026-11-18 07:23:43.504621+00');
INSERT INTO tidemill.schema_versions VALUES (3, '2026-11-18 07:23:43.504966+00');
INSERT INTO tidemill.schema_versions VALUES (4, '2026-11-18 07:23:43.505892+00');
INSERT INTO tidemill.schema_versions VALUES (5, '2026-11-18 07:23:43.507851+00');
INSERT INTO tidemill.schema_versions VALUES (6, '2026-11-18 07:23:43.518227+00');
INSERT INTO tidemill.schema_versions VALUES (7, '2026-11-18 07:23:43.518681+00');
INSERT INTO tidemill.settings VALUES ('partitions', 1);
INSERT INTO tidemill.settings VALUES ('definitions_version', 1);
INSERT INTO tidemill.sleeping_owners VALUES (1, true);
INSERT INTO tidemill.timer_shards VALUES (1, NULL, 3);
INSERT INTO tidemill.timers VALUES (1, 1794855120000, 2251799813685277, 2251799813685251, 2251799813685276, '\x85a36b6579cf000800000000001da66475655f6174cf000001a1e5b3ac80a7707572706f736581a5436174636883a66f726967696e84a8696e7374616e6365cf0008000000000003a4726f6f74cf0008000000000003aa646566696e6974696f6ecf0008000000000002a674656e616e74a93c64656661756c743eb0656c656d656e745f696e7374616e6365cf000800000000001ca674617267657409ab72657065746974696f6e73c0af77616974735f666f725f636c6f636bc3');
SELECT pg_catalog.setval('tidemill.positions', 12, true);
ALTER TABLE ONLY tidemill.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (partition_id, batch_id, at);
ALTER TABLE ONLY tidemill.batches_d20775
    ADD CONSTRAINT batches_d20775_pkey PRIMARY KEY (partition_id, batch_id, at);
ALTER TABLE ONLY tidemill.batches_d20776
    ADD CONSTRAINT batches_d20776_pkey PRIMARY KEY (partition_id, batch_id, at);
ALTER TABLE ONLY tidemill.batches_d20777
    ADD CONSTRAINT batches_d20777_pkey PRIMARY KEY (partition_id, batch_id, at);
ALTER TABLE ONLY tidemill.batches_default
    ADD CONSTRAINT batches_default_pkey PRIMARY KEY (partition_id, batch_id, at);
ALTER TABLE ONLY tidemill.box_subscriptions
    ADD CONSTRAINT box_subscriptions_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (partition_id, number);
ALTER TABLE ONLY tidemill.element_counts
    ADD CONSTRAINT element_counts_pkey PRIMARY KEY (partition_id, number, definition_key, element_id, state);
ALTER TABLE ONLY tidemill.element_instances_history
    ADD CONSTRAINT element_instances_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.element_instances_history_d20775
    ADD CONSTRAINT element_instances_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.element_instances_history_d20776
    ADD CONSTRAINT element_instances_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.element_instances_history_d20777
    ADD CONSTRAINT element_instances_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.element_instances_history_default
    ADD CONSTRAINT element_instances_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.element_instances
    ADD CONSTRAINT element_instances_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (partition_id, tenant, key);
ALTER TABLE ONLY tidemill.in_hand
    ADD CONSTRAINT in_hand_pkey PRIMARY KEY (partition_id);
ALTER TABLE ONLY tidemill.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (partition_id, "position");
ALTER TABLE ONLY tidemill.incidents_history
    ADD CONSTRAINT incidents_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.incidents_history_d20775
    ADD CONSTRAINT incidents_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.incidents_history_d20776
    ADD CONSTRAINT incidents_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.incidents_history_d20777
    ADD CONSTRAINT incidents_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.incidents_history_default
    ADD CONSTRAINT incidents_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.incidents
    ADD CONSTRAINT incidents_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.job_leases
    ADD CONSTRAINT job_leases_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.jobs_history
    ADD CONSTRAINT jobs_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.jobs_history_d20775
    ADD CONSTRAINT jobs_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.jobs_history_d20776
    ADD CONSTRAINT jobs_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.jobs_history_d20777
    ADD CONSTRAINT jobs_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.jobs_history_default
    ADD CONSTRAINT jobs_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.loop_inputs
    ADD CONSTRAINT loop_inputs_pkey PRIMARY KEY (partition_id, body_key);
ALTER TABLE ONLY tidemill.loop_outputs
    ADD CONSTRAINT loop_outputs_pkey PRIMARY KEY (partition_id, instance_key, body_key, loop_counter);
ALTER TABLE ONLY tidemill.message_correlations_history
    ADD CONSTRAINT message_correlations_history_pkey PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at);
ALTER TABLE ONLY tidemill.message_correlations_history_d20775
    ADD CONSTRAINT message_correlations_history_d20775_pkey PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at);
ALTER TABLE ONLY tidemill.message_correlations_history_d20776
    ADD CONSTRAINT message_correlations_history_d20776_pkey PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at);
ALTER TABLE ONLY tidemill.message_correlations_history_d20777
    ADD CONSTRAINT message_correlations_history_d20777_pkey PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at);
ALTER TABLE ONLY tidemill.message_correlations_history_default
    ADD CONSTRAINT message_correlations_history_default_pkey PRIMARY KEY (partition_id, subscription_key, message_key, correlated_at);
ALTER TABLE ONLY tidemill.message_subscriptions_history
    ADD CONSTRAINT message_subscriptions_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.message_subscriptions_history_d20775
    ADD CONSTRAINT message_subscriptions_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.message_subscriptions_history_d20776
    ADD CONSTRAINT message_subscriptions_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.message_subscriptions_history_d20777
    ADD CONSTRAINT message_subscriptions_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.message_subscriptions_history_default
    ADD CONSTRAINT message_subscriptions_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.message_subscriptions
    ADD CONSTRAINT message_subscriptions_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.sleeping_owners
    ADD CONSTRAINT naps_pkey PRIMARY KEY (partition_id);
ALTER TABLE ONLY tidemill.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (holder);
ALTER TABLE ONLY tidemill.partitions
    ADD CONSTRAINT partitions_pkey PRIMARY KEY (partition_id);
ALTER TABLE ONLY tidemill.process_definitions
    ADD CONSTRAINT process_definitions_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.process_files
    ADD CONSTRAINT process_files_pkey PRIMARY KEY (partition_id, definition_key);
ALTER TABLE ONLY tidemill.process_instances_history
    ADD CONSTRAINT process_instances_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.process_instances_history_d20775
    ADD CONSTRAINT process_instances_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.process_instances_history_d20776
    ADD CONSTRAINT process_instances_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.process_instances_history_d20777
    ADD CONSTRAINT process_instances_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.process_instances_history_default
    ADD CONSTRAINT process_instances_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.process_instances
    ADD CONSTRAINT process_instances_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.resources
    ADD CONSTRAINT resources_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (partition_id, "position");
ALTER TABLE ONLY tidemill.schema_versions
    ADD CONSTRAINT schema_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY tidemill.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tidemill.signal_subscriptions
    ADD CONSTRAINT signal_subscriptions_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.start_locks
    ADD CONSTRAINT start_locks_pkey PRIMARY KEY (partition_id, correlation_key, process_id, tenant);
ALTER TABLE ONLY tidemill.start_subscriptions
    ADD CONSTRAINT start_subscriptions_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.timer_batches
    ADD CONSTRAINT timer_batches_pkey PRIMARY KEY (partition_id, batch_id);
ALTER TABLE ONLY tidemill.timer_blocks
    ADD CONSTRAINT timer_blocks_pkey PRIMARY KEY (partition_id, level, slot, kind, batch_id, n);
ALTER TABLE ONLY tidemill.timer_deliveries
    ADD CONSTRAINT timer_deliveries_pkey PRIMARY KEY (partition_id, lane, batch_id, n);
ALTER TABLE ONLY tidemill.timer_failures
    ADD CONSTRAINT timer_failures_pkey PRIMARY KEY (partition_id, key, generation);
ALTER TABLE ONLY tidemill.timer_namespaces
    ADD CONSTRAINT timer_namespaces_pkey PRIMARY KEY (partition_id, tenant, namespace);
ALTER TABLE ONLY tidemill.timer_places
    ADD CONSTRAINT timer_places_pkey PRIMARY KEY (partition_id, id);
ALTER TABLE ONLY tidemill.timer_shards
    ADD CONSTRAINT timer_shards_pkey PRIMARY KEY (partition_id);
ALTER TABLE ONLY tidemill.timer_targets
    ADD CONSTRAINT timer_targets_pkey PRIMARY KEY (partition_id, target_id);
ALTER TABLE ONLY tidemill.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (partition_id, due_at, key);
ALTER TABLE ONLY tidemill.user_tasks_history
    ADD CONSTRAINT user_tasks_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.user_tasks_history_d20775
    ADD CONSTRAINT user_tasks_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.user_tasks_history_d20776
    ADD CONSTRAINT user_tasks_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.user_tasks_history_d20777
    ADD CONSTRAINT user_tasks_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.user_tasks_history_default
    ADD CONSTRAINT user_tasks_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.user_tasks
    ADD CONSTRAINT user_tasks_pkey PRIMARY KEY (partition_id, key);
ALTER TABLE ONLY tidemill.variables_history
    ADD CONSTRAINT variables_history_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.variables_history_d20775
    ADD CONSTRAINT variables_history_d20775_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.variables_history_d20776
    ADD CONSTRAINT variables_history_d20776_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.variables_history_d20777
    ADD CONSTRAINT variables_history_d20777_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.variables_history_default
    ADD CONSTRAINT variables_history_default_pkey PRIMARY KEY (partition_id, key, ended_at);
ALTER TABLE ONLY tidemill.variables
    ADD CONSTRAINT variables_pkey PRIMARY KEY (partition_id, key);
CREATE INDEX batches_by_time ON ONLY tidemill.batches USING btree (partition_id, at);
CREATE INDEX batches_d20775_partition_id_at_idx ON tidemill.batches_d20775 USING btree (partition_id, at);
CREATE INDEX batches_d20776_partition_id_at_idx ON tidemill.batches_d20776 USING btree (partition_id, at);
CREATE INDEX batches_d20777_partition_id_at_idx ON tidemill.batches_d20777 USING btree (partition_id, at);
CREATE INDEX batches_default_partition_id_at_idx ON tidemill.batches_default USING btree (partition_id, at);
CREATE INDEX box_subscriptions_by_box ON tidemill.box_subscriptions USING btree (correlation_key, name, tenant);
CREATE INDEX element_instances_by_scope ON tidemill.element_instances USING btree (instance_key, parent_key);
CREATE INDEX element_instances_history_by_incident ON ONLY tidemill.element_instances_history USING btree (incident_key) WHERE (incident_key IS NOT NULL);
CREATE INDEX element_instances_history_by_instance ON ONLY tidemill.element_instances_history USING btree (instance_key);
CREATE INDEX element_instances_history_d20775_incident_key_idx ON tidemill.element_instances_history_d20775 USING btree (incident_key) WHERE (incident_key IS NOT NULL);
CREATE INDEX element_instances_history_d20775_instance_key_idx ON tidemill.element_instances_history_d20775 USING btree (instance_key);
CREATE INDEX element_instances_history_d20776_incident_key_idx ON tidemill.element_instances_history_d20776 USING btree (incident_key) WHERE (incident_key IS NOT NULL);
CREATE INDEX element_instances_history_d20776_instance_key_idx ON tidemill.element_instances_history_d20776 USING btree (instance_key);
CREATE INDEX element_instances_history_d20777_incident_key_idx ON tidemill.element_instances_history_d20777 USING btree (incident_key) WHERE (incident_key IS NOT NULL);
CREATE INDEX element_instances_history_d20777_instance_key_idx ON tidemill.element_instances_history_d20777 USING btree (instance_key);
CREATE INDEX element_instances_history_default_incident_key_idx ON tidemill.element_instances_history_default USING btree (incident_key) WHERE (incident_key IS NOT NULL);
CREATE INDEX element_instances_history_default_instance_key_idx ON tidemill.element_instances_history_default USING btree (instance_key);
CREATE UNIQUE INDEX forms_by_id ON tidemill.forms USING btree (form_id, tenant, version);
CREATE INDEX idempotency_by_age ON tidemill.idempotency USING btree (created_at);
CREATE INDEX incidents_by_element ON tidemill.incidents USING btree (instance_key, element_instance);
CREATE INDEX incidents_history_by_creation ON ONLY tidemill.incidents_history USING btree (created_at);
CREATE INDEX incidents_history_by_definition ON ONLY tidemill.incidents_history USING btree (definition_key);
CREATE INDEX incidents_history_by_error ON ONLY tidemill.incidents_history USING btree (message_hash);
CREATE INDEX incidents_history_by_instance ON ONLY tidemill.incidents_history USING btree (instance_key);
CREATE INDEX incidents_history_by_job ON ONLY tidemill.incidents_history USING btree (job_key) WHERE (job_key IS NOT NULL);
CREATE INDEX incidents_history_d20775_created_at_idx ON tidemill.incidents_history_d20775 USING btree (created_at);
CREATE INDEX incidents_history_d20775_definition_key_idx ON tidemill.incidents_history_d20775 USING btree (definition_key);
CREATE INDEX incidents_history_d20775_instance_key_idx ON tidemill.incidents_history_d20775 USING btree (instance_key);
CREATE INDEX incidents_history_d20775_job_key_idx ON tidemill.incidents_history_d20775 USING btree (job_key) WHERE (job_key IS NOT NULL);
CREATE INDEX incidents_history_d20775_message_hash_idx ON tidemill.incidents_history_d20775 USING btree (message_hash);
CREATE INDEX incidents_history_d20776_created_at_idx ON tidemill.incidents_history_d20776 USING btree (created_at);
CREATE INDEX incidents_history_d20776_definition_key_idx ON tidemill.incidents_history_d20776 USING btree (definition_key);
CREATE INDEX incidents_history_d20776_instance_key_idx ON tidemill.incidents_history_d20776 USING btree (instance_key);
CREATE INDEX incidents_history_d20776_job_key_idx ON tidemill.incidents_history_d20776 USING btree (job_key) WHERE (job_key IS NOT NULL);
CREATE INDEX incidents_history_d20776_message_hash_idx ON tidemill.incidents_history_d20776 USING btree (message_hash);
CREATE INDEX incidents_history_d20777_created_at_idx ON tidemill.incidents_history_d20777 USING btree (created_at);
CREATE INDEX incidents_history_d20777_definition_key_idx ON tidemill.incidents_history_d20777 USING btree (definition_key);
CREATE INDEX incidents_history_d20777_instance_key_idx ON tidemill.incidents_history_d20777 USING btree (instance_key);
CREATE INDEX incidents_history_d20777_job_key_idx ON tidemill.incidents_history_d20777 USING btree (job_key) WHERE (job_key IS NOT NULL);
CREATE INDEX incidents_history_d20777_message_hash_idx ON tidemill.incidents_history_d20777 USING btree (message_hash);
CREATE INDEX incidents_history_default_created_at_idx ON tidemill.incidents_history_default USING btree (created_at);
CREATE INDEX incidents_history_default_definition_key_idx ON tidemill.incidents_history_default USING btree (definition_key);
CREATE INDEX incidents_history_default_instance_key_idx ON tidemill.incidents_history_default USING btree (instance_key);
CREATE INDEX incidents_history_default_job_key_idx ON tidemill.incidents_history_default USING btree (job_key) WHERE (job_key IS NOT NULL);
CREATE INDEX incidents_history_default_message_hash_idx ON tidemill.incidents_history_default USING btree (message_hash);
CREATE INDEX jobs_by_element ON tidemill.jobs USING btree (instance_key, element_instance);
CREATE INDEX jobs_history_by_creation ON ONLY tidemill.jobs_history USING btree (created_at);
CREATE INDEX jobs_history_by_instance ON ONLY tidemill.jobs_history USING btree (instance_key);
CREATE INDEX jobs_history_d20775_created_at_idx ON tidemill.jobs_history_d20775 USING btree (created_at);
CREATE INDEX jobs_history_d20775_instance_key_idx ON tidemill.jobs_history_d20775 USING btree (instance_key);
CREATE INDEX jobs_history_d20776_created_at_idx ON tidemill.jobs_history_d20776 USING btree (created_at);
CREATE INDEX jobs_history_d20776_instance_key_idx ON tidemill.jobs_history_d20776 USING btree (instance_key);
CREATE INDEX jobs_history_d20777_created_at_idx ON tidemill.jobs_history_d20777 USING btree (created_at);
CREATE INDEX jobs_history_d20777_instance_key_idx ON tidemill.jobs_history_d20777 USING btree (instance_key);
CREATE INDEX jobs_history_default_created_at_idx ON tidemill.jobs_history_default USING btree (created_at);
CREATE INDEX jobs_history_default_instance_key_idx ON tidemill.jobs_history_default USING btree (instance_key);
CREATE INDEX jobs_leased ON tidemill.jobs USING btree (lease_key) WHERE (lease_key IS NOT NULL);
CREATE INDEX jobs_waiting ON tidemill.jobs USING btree (partition_id, job_type, priority DESC, key) WHERE is_waiting;
CREATE INDEX loop_inputs_by_instance ON tidemill.loop_inputs USING btree (instance_key, body_key);
CREATE INDEX message_correlations_history_by_instance ON ONLY tidemill.message_correlations_history USING btree (instance_key);
CREATE INDEX message_correlations_history_d20775_instance_key_idx ON tidemill.message_correlations_history_d20775 USING btree (instance_key);
CREATE INDEX message_correlations_history_d20776_instance_key_idx ON tidemill.message_correlations_history_d20776 USING btree (instance_key);
CREATE INDEX message_correlations_history_d20777_instance_key_idx ON tidemill.message_correlations_history_d20777 USING btree (instance_key);
CREATE INDEX message_correlations_history_default_instance_key_idx ON tidemill.message_correlations_history_default USING btree (instance_key);
CREATE INDEX message_subscriptions_by_element ON tidemill.message_subscriptions USING btree (instance_key, element_instance);
CREATE INDEX message_subscriptions_history_by_instance ON ONLY tidemill.message_subscriptions_history USING btree (instance_key);
CREATE INDEX message_subscriptions_history_d20775_instance_key_idx ON tidemill.message_subscriptions_history_d20775 USING btree (instance_key);
CREATE INDEX message_subscriptions_history_d20776_instance_key_idx ON tidemill.message_subscriptions_history_d20776 USING btree (instance_key);
CREATE INDEX message_subscriptions_history_d20777_instance_key_idx ON tidemill.message_subscriptions_history_d20777 USING btree (instance_key);
CREATE INDEX message_subscriptions_history_default_instance_key_idx ON tidemill.message_subscriptions_history_default USING btree (instance_key);
CREATE INDEX messages_by_box ON tidemill.messages USING btree (correlation_key, name, tenant);
CREATE UNIQUE INDEX process_definitions_by_id ON tidemill.process_definitions USING btree (process_id, tenant, version);
CREATE INDEX process_definitions_by_key ON tidemill.process_definitions USING btree (key);
CREATE INDEX process_instances_by_business_id ON tidemill.process_instances USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_by_definition ON tidemill.process_instances USING btree (definition_key);
CREATE INDEX process_instances_by_parent ON tidemill.process_instances USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_by_root ON tidemill.process_instances USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_by_business_id ON ONLY tidemill.process_instances_history USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_history_by_definition_and_start ON ONLY tidemill.process_instances_history USING btree (definition_key, started_at);
CREATE INDEX process_instances_history_by_end ON ONLY tidemill.process_instances_history USING btree (ended_at);
CREATE INDEX process_instances_history_by_parent ON ONLY tidemill.process_instances_history USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_by_root ON ONLY tidemill.process_instances_history USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_by_start ON ONLY tidemill.process_instances_history USING btree (started_at);
CREATE INDEX process_instances_history_d20775_business_id_idx ON tidemill.process_instances_history_d20775 USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_history_d20775_definition_key_started_at_idx ON tidemill.process_instances_history_d20775 USING btree (definition_key, started_at);
CREATE INDEX process_instances_history_terminated_by_definition ON ONLY tidemill.process_instances_history USING btree (definition_key, started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20775_definition_key_started_at_idx1 ON tidemill.process_instances_history_d20775 USING btree (definition_key, started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_troubled_by_definition ON ONLY tidemill.process_instances_history USING btree (definition_key, started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20775_definition_key_started_at_idx2 ON tidemill.process_instances_history_d20775 USING btree (definition_key, started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20775_ended_at_idx ON tidemill.process_instances_history_d20775 USING btree (ended_at);
CREATE INDEX process_instances_history_d20775_parent_key_parent_element_idx ON tidemill.process_instances_history_d20775 USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20775_root_key_idx ON tidemill.process_instances_history_d20775 USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20775_started_at_idx ON tidemill.process_instances_history_d20775 USING btree (started_at);
CREATE INDEX process_instances_history_terminated ON ONLY tidemill.process_instances_history USING btree (started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20775_started_at_idx1 ON tidemill.process_instances_history_d20775 USING btree (started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_troubled ON ONLY tidemill.process_instances_history USING btree (started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20775_started_at_idx2 ON tidemill.process_instances_history_d20775 USING btree (started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20776_business_id_idx ON tidemill.process_instances_history_d20776 USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_history_d20776_definition_key_started_at_idx ON tidemill.process_instances_history_d20776 USING btree (definition_key, started_at);
CREATE INDEX process_instances_history_d20776_definition_key_started_at_idx1 ON tidemill.process_instances_history_d20776 USING btree (definition_key, started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20776_definition_key_started_at_idx2 ON tidemill.process_instances_history_d20776 USING btree (definition_key, started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20776_ended_at_idx ON tidemill.process_instances_history_d20776 USING btree (ended_at);
CREATE INDEX process_instances_history_d20776_parent_key_parent_element_idx ON tidemill.process_instances_history_d20776 USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20776_root_key_idx ON tidemill.process_instances_history_d20776 USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20776_started_at_idx ON tidemill.process_instances_history_d20776 USING btree (started_at);
CREATE INDEX process_instances_history_d20776_started_at_idx1 ON tidemill.process_instances_history_d20776 USING btree (started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20776_started_at_idx2 ON tidemill.process_instances_history_d20776 USING btree (started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20777_business_id_idx ON tidemill.process_instances_history_d20777 USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_history_d20777_definition_key_started_at_idx ON tidemill.process_instances_history_d20777 USING btree (definition_key, started_at);
CREATE INDEX process_instances_history_d20777_definition_key_started_at_idx1 ON tidemill.process_instances_history_d20777 USING btree (definition_key, started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20777_definition_key_started_at_idx2 ON tidemill.process_instances_history_d20777 USING btree (definition_key, started_at) WHERE has_incident;
CREATE INDEX process_instances_history_d20777_ended_at_idx ON tidemill.process_instances_history_d20777 USING btree (ended_at);
CREATE INDEX process_instances_history_d20777_parent_key_parent_element_idx ON tidemill.process_instances_history_d20777 USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20777_root_key_idx ON tidemill.process_instances_history_d20777 USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_d20777_started_at_idx ON tidemill.process_instances_history_d20777 USING btree (started_at);
CREATE INDEX process_instances_history_d20777_started_at_idx1 ON tidemill.process_instances_history_d20777 USING btree (started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_d20777_started_at_idx2 ON tidemill.process_instances_history_d20777 USING btree (started_at) WHERE has_incident;
CREATE INDEX process_instances_history_defaul_definition_key_started_at_idx1 ON tidemill.process_instances_history_default USING btree (definition_key, started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_defaul_definition_key_started_at_idx2 ON tidemill.process_instances_history_default USING btree (definition_key, started_at) WHERE has_incident;
CREATE INDEX process_instances_history_default_business_id_idx ON tidemill.process_instances_history_default USING btree (business_id) WHERE (business_id IS NOT NULL);
CREATE INDEX process_instances_history_default_definition_key_started_at_idx ON tidemill.process_instances_history_default USING btree (definition_key, started_at);
CREATE INDEX process_instances_history_default_ended_at_idx ON tidemill.process_instances_history_default USING btree (ended_at);
CREATE INDEX process_instances_history_default_parent_key_parent_element_idx ON tidemill.process_instances_history_default USING btree (parent_key, parent_element) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_default_root_key_idx ON tidemill.process_instances_history_default USING btree (root_key) WHERE (parent_key IS NOT NULL);
CREATE INDEX process_instances_history_default_started_at_idx ON tidemill.process_instances_history_default USING btree (started_at);
CREATE INDEX process_instances_history_default_started_at_idx1 ON tidemill.process_instances_history_default USING btree (started_at) WHERE (state = 'TERMINATED'::text);
CREATE INDEX process_instances_history_default_started_at_idx2 ON tidemill.process_instances_history_default USING btree (started_at) WHERE has_incident;
CREATE UNIQUE INDEX resources_by_id ON tidemill.resources USING btree (resource_id, tenant, version);
CREATE INDEX results_by_age ON tidemill.results USING btree (at);
CREATE INDEX signal_subscriptions_by_element ON tidemill.signal_subscriptions USING btree (instance_key, element_instance);
CREATE INDEX signal_subscriptions_by_name ON tidemill.signal_subscriptions USING btree (partition_id, signal_name, tenant, key);
CREATE INDEX start_subscriptions_by_name ON tidemill.start_subscriptions USING btree (name, tenant, kind);
CREATE INDEX start_subscriptions_by_process ON tidemill.start_subscriptions USING btree (process_id, tenant);
CREATE INDEX timers_by_owner ON tidemill.timers USING btree (owner_key, element_instance);
CREATE INDEX user_tasks_by_assignee ON tidemill.user_tasks USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_by_element ON tidemill.user_tasks USING btree (instance_key, element_instance);
CREATE INDEX user_tasks_history_by_assignee ON ONLY tidemill.user_tasks_history USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_by_assignee_and_creation ON ONLY tidemill.user_tasks_history USING btree (assignee, created_at) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_by_creation ON ONLY tidemill.user_tasks_history USING btree (created_at);
CREATE INDEX user_tasks_history_by_definition ON ONLY tidemill.user_tasks_history USING btree (definition_key, created_at);
CREATE INDEX user_tasks_history_by_end ON ONLY tidemill.user_tasks_history USING btree (ended_at);
CREATE INDEX user_tasks_history_by_instance ON ONLY tidemill.user_tasks_history USING btree (instance_key);
CREATE INDEX user_tasks_history_d20775_assignee_created_at_idx ON tidemill.user_tasks_history_d20775 USING btree (assignee, created_at) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20775_assignee_idx ON tidemill.user_tasks_history_d20775 USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20775_created_at_idx ON tidemill.user_tasks_history_d20775 USING btree (created_at);
CREATE INDEX user_tasks_history_d20775_definition_key_created_at_idx ON tidemill.user_tasks_history_d20775 USING btree (definition_key, created_at);
CREATE INDEX user_tasks_history_d20775_ended_at_idx ON tidemill.user_tasks_history_d20775 USING btree (ended_at);
CREATE INDEX user_tasks_history_d20775_instance_key_idx ON tidemill.user_tasks_history_d20775 USING btree (instance_key);
CREATE INDEX user_tasks_history_d20776_assignee_created_at_idx ON tidemill.user_tasks_history_d20776 USING btree (assignee, created_at) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20776_assignee_idx ON tidemill.user_tasks_history_d20776 USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20776_created_at_idx ON tidemill.user_tasks_history_d20776 USING btree (created_at);
CREATE INDEX user_tasks_history_d20776_definition_key_created_at_idx ON tidemill.user_tasks_history_d20776 USING btree (definition_key, created_at);
CREATE INDEX user_tasks_history_d20776_ended_at_idx ON tidemill.user_tasks_history_d20776 USING btree (ended_at);
CREATE INDEX user_tasks_history_d20776_instance_key_idx ON tidemill.user_tasks_history_d20776 USING btree (instance_key);
CREATE INDEX user_tasks_history_d20777_assignee_created_at_idx ON tidemill.user_tasks_history_d20777 USING btree (assignee, created_at) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20777_assignee_idx ON tidemill.user_tasks_history_d20777 USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_d20777_created_at_idx ON tidemill.user_tasks_history_d20777 USING btree (created_at);
CREATE INDEX user_tasks_history_d20777_definition_key_created_at_idx ON tidemill.user_tasks_history_d20777 USING btree (definition_key, created_at);
CREATE INDEX user_tasks_history_d20777_ended_at_idx ON tidemill.user_tasks_history_d20777 USING btree (ended_at);
CREATE INDEX user_tasks_history_d20777_instance_key_idx ON tidemill.user_tasks_history_d20777 USING btree (instance_key);
CREATE INDEX user_tasks_history_default_assignee_created_at_idx ON tidemill.user_tasks_history_default USING btree (assignee, created_at) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_default_assignee_idx ON tidemill.user_tasks_history_default USING btree (assignee) WHERE (assignee IS NOT NULL);
CREATE INDEX user_tasks_history_default_created_at_idx ON tidemill.user_tasks_history_default USING btree (created_at);
CREATE INDEX user_tasks_history_default_definition_key_created_at_idx ON tidemill.user_tasks_history_default USING btree (definition_key, created_at);
CREATE INDEX user_tasks_history_default_ended_at_idx ON tidemill.user_tasks_history_default USING btree (ended_at);
CREATE INDEX user_tasks_history_default_instance_key_idx ON tidemill.user_tasks_history_default USING btree (instance_key);
CREATE INDEX variables_by_scope ON tidemill.variables USING btree (instance_key, scope_key);
CREATE INDEX variables_history_by_instance ON ONLY tidemill.variables_history USING btree (instance_key);
CREATE INDEX variables_history_by_value ON ONLY tidemill.variables_history USING btree (name, (
CASE
    WHEN (length(value) <= 64) THEN value
    ELSE (("left"(value, 32) || ':'::text) || md5(value))
END), key);
CREATE INDEX variables_history_d20775_instance_key_idx ON tidemill.variables_history_d20775 USING btree (instance_key);
CREATE INDEX variables_history_d20775_name_case_key_idx ON tidemill.variables_history_d20775 USING btree (name, (
CASE
    WHEN (length(value) <= 64) THEN value
    ELSE (("left"(value, 32) || ':'::text) || md5(value))
END), key);
CREATE INDEX variables_history_d20776_instance_key_idx ON tidemill.variables_history_d20776 USING btree (instance_key);
CREATE INDEX variables_history_d20776_name_case_key_idx ON tidemill.variables_history_d20776 USING btree (name, (
CASE
    WHEN (length(value) <= 64) THEN value
    ELSE (("left"(value, 32) || ':'::text) || md5(value))
END), key);
CREATE INDEX variables_history_d20777_instance_key_idx ON tidemill.variables_history_d20777 USING btree (instance_key);
CREATE INDEX variables_history_d20777_name_case_key_idx ON tidemill.variables_history_d20777 USING btree (name, (
CASE
    WHEN (length(value) <= 64) THEN value
    ELSE (("left"(value, 32) || ':'::text) || md5(value))
END), key);
CREATE INDEX variables_history_default_instance_key_idx ON tidemill.variables_history_default USING btree (instance_key);
CREATE INDEX variables_history_default_name_case_key_idx ON tidemill.variables_history_default USING btree (name, (
CASE
    WHEN (length(value) <= 64) THEN value
    ELSE (("left"(value, 32) || ':'::text) || md5(value))
END), key);
ALTER INDEX tidemill.batches_by_time ATTACH PARTITION tidemill.batches_d20775_partition_id_at_idx;
ALTER INDEX tidemill.batches_pkey ATTACH PARTITION tidemill.batches_d20775_pkey;
ALTER INDEX tidemill.batches_by_time ATTACH PARTITION tidemill.batches_d20776_partition_id_at_idx;
ALTER INDEX tidemill.batches_pkey ATTACH PARTITION tidemill.batches_d20776_pkey;
ALTER INDEX tidemill.batches_by_time ATTACH PARTITION tidemill.batches_d20777_partition_id_at_idx;
ALTER INDEX tidemill.batches_pkey ATTACH PARTITION tidemill.batches_d20777_pkey;
ALTER INDEX tidemill.batches_by_time ATTACH PARTITION tidemill.batches_default_partition_id_at_idx;
ALTER INDEX tidemill.batches_pkey ATTACH PARTITION tidemill.batches_default_pkey;
ALTER INDEX tidemill.element_instances_history_by_incident ATTACH PARTITION tidemill.element_instances_history_d20775_incident_key_idx;
ALTER INDEX tidemill.element_instances_history_by_instance ATTACH PARTITION tidemill.element_instances_history_d20775_instance_key_idx;
ALTER INDEX tidemill.element_instances_history_pkey ATTACH PARTITION tidemill.element_instances_history_d20775_pkey;
ALTER INDEX tidemill.element_instances_history_by_incident ATTACH PARTITION tidemill.element_instances_history_d20776_incident_key_idx;
ALTER INDEX tidemill.element_instances_history_by_instance ATTACH PARTITION tidemill.element_instances_history_d20776_instance_key_idx;
ALTER INDEX tidemill.element_instances_history_pkey ATTACH PARTITION tidemill.element_instances_history_d20776_pkey;
ALTER INDEX tidemill.element_instances_history_by_incident ATTACH PARTITION tidemill.element_instances_history_d20777_incident_key_idx;
ALTER INDEX tidemill.element_instances_history_by_instance ATTACH PARTITION tidemill.element_instances_history_d20777_instance_key_idx;
ALTER INDEX tidemill.element_instances_history_pkey ATTACH PARTITION tidemill.element_instances_history_d20777_pkey;
ALTER INDEX tidemill.element_instances_history_by_incident ATTACH PARTITION tidemill.element_instances_history_default_incident_key_idx;
ALTER INDEX tidemill.element_instances_history_by_instance ATTACH PARTITION tidemill.element_instances_history_default_instance_key_idx;
ALTER INDEX tidemill.element_instances_history_pkey ATTACH PARTITION tidemill.element_instances_history_default_pkey;
ALTER INDEX tidemill.incidents_history_by_creation ATTACH PARTITION tidemill.incidents_history_d20775_created_at_idx;
ALTER INDEX tidemill.incidents_history_by_definition ATTACH PARTITION tidemill.incidents_history_d20775_definition_key_idx;
ALTER INDEX tidemill.incidents_history_by_instance ATTACH PARTITION tidemill.incidents_history_d20775_instance_key_idx;
ALTER INDEX tidemill.incidents_history_by_job ATTACH PARTITION tidemill.incidents_history_d20775_job_key_idx;
ALTER INDEX tidemill.incidents_history_by_error ATTACH PARTITION tidemill.incidents_history_d20775_message_hash_idx;
ALTER INDEX tidemill.incidents_history_pkey ATTACH PARTITION tidemill.incidents_history_d20775_pkey;
ALTER INDEX tidemill.incidents_history_by_creation ATTACH PARTITION tidemill.incidents_history_d20776_created_at_idx;
ALTER INDEX tidemill.incidents_history_by_definition ATTACH PARTITION tidemill.incidents_history_d20776_definition_key_idx;
ALTER INDEX tidemill.incidents_history_by_instance ATTACH PARTITION tidemill.incidents_history_d20776_instance_key_idx;
ALTER INDEX tidemill.incidents_history_by_job ATTACH PARTITION tidemill.incidents_history_d20776_job_key_idx;
ALTER INDEX tidemill.incidents_history_by_error ATTACH PARTITION tidemill.incidents_history_d20776_message_hash_idx;
ALTER INDEX tidemill.incidents_history_pkey ATTACH PARTITION tidemill.incidents_history_d20776_pkey;
ALTER INDEX tidemill.incidents_history_by_creation ATTACH PARTITION tidemill.incidents_history_d20777_created_at_idx;
ALTER INDEX tidemill.incidents_history_by_definition ATTACH PARTITION tidemill.incidents_history_d20777_definition_key_idx;
ALTER INDEX tidemill.incidents_history_by_instance ATTACH PARTITION tidemill.incidents_history_d20777_instance_key_idx;
ALTER INDEX tidemill.incidents_history_by_job ATTACH PARTITION tidemill.incidents_history_d20777_job_key_idx;
ALTER INDEX tidemill.incidents_history_by_error ATTACH PARTITION tidemill.incidents_history_d20777_message_hash_idx;
ALTER INDEX tidemill.incidents_history_pkey ATTACH PARTITION tidemill.incidents_history_d20777_pkey;
ALTER INDEX tidemill.incidents_history_by_creation ATTACH PARTITION tidemill.incidents_history_default_created_at_idx;
ALTER INDEX tidemill.incidents_history_by_definition ATTACH PARTITION tidemill.incidents_history_default_definition_key_idx;
ALTER INDEX tidemill.incidents_history_by_instance ATTACH PARTITION tidemill.incidents_history_default_instance_key_idx;
ALTER INDEX tidemill.incidents_history_by_job ATTACH PARTITION tidemill.incidents_history_default_job_key_idx;
ALTER INDEX tidemill.incidents_history_by_error ATTACH PARTITION tidemill.incidents_history_default_message_hash_idx;
ALTER INDEX tidemill.incidents_history_pkey ATTACH PARTITION tidemill.incidents_history_default_pkey;
ALTER INDEX tidemill.jobs_history_by_creation ATTACH PARTITION tidemill.jobs_history_d20775_created_at_idx;
ALTER INDEX tidemill.jobs_history_by_instance ATTACH PARTITION tidemill.jobs_history_d20775_instance_key_idx;
ALTER INDEX tidemill.jobs_history_pkey ATTACH PARTITION tidemill.jobs_history_d20775_pkey;
ALTER INDEX tidemill.jobs_history_by_creation ATTACH PARTITION tidemill.jobs_history_d20776_created_at_idx;
ALTER INDEX tidemill.jobs_history_by_instance ATTACH PARTITION tidemill.jobs_history_d20776_instance_key_idx;
ALTER INDEX tidemill.jobs_history_pkey ATTACH PARTITION tidemill.jobs_history_d20776_pkey;
ALTER INDEX tidemill.jobs_history_by_creation ATTACH PARTITION tidemill.jobs_history_d20777_created_at_idx;
ALTER INDEX tidemill.jobs_history_by_instance ATTACH PARTITION tidemill.jobs_history_d20777_instance_key_idx;
ALTER INDEX tidemill.jobs_history_pkey ATTACH PARTITION tidemill.jobs_history_d20777_pkey;
ALTER INDEX tidemill.jobs_history_by_creation ATTACH PARTITION tidemill.jobs_history_default_created_at_idx;
ALTER INDEX tidemill.jobs_history_by_instance ATTACH PARTITION tidemill.jobs_history_default_instance_key_idx;
ALTER INDEX tidemill.jobs_history_pkey ATTACH PARTITION tidemill.jobs_history_default_pkey;
ALTER INDEX tidemill.message_correlations_history_by_instance ATTACH PARTITION tidemill.message_correlations_history_d20775_instance_key_idx;
ALTER INDEX tidemill.message_correlations_history_pkey ATTACH PARTITION tidemill.message_correlations_history_d20775_pkey;
ALTER INDEX tidemill.message_correlations_history_by_instance ATTACH PARTITION tidemill.message_correlations_history_d20776_instance_key_idx;
ALTER INDEX tidemill.message_correlations_history_pkey ATTACH PARTITION tidemill.message_correlations_history_d20776_pkey;
ALTER INDEX tidemill.message_correlations_history_by_instance ATTACH PARTITION tidemill.message_correlations_history_d20777_instance_key_idx;
ALTER INDEX tidemill.message_correlations_history_pkey ATTACH PARTITION tidemill.message_correlations_history_d20777_pkey;
ALTER INDEX tidemill.message_correlations_history_by_instance ATTACH PARTITION tidemill.message_correlations_history_default_instance_key_idx;
ALTER INDEX tidemill.message_correlations_history_pkey ATTACH PARTITION tidemill.message_correlations_history_default_pkey;
ALTER INDEX tidemill.message_subscriptions_history_by_instance ATTACH PARTITION tidemill.message_subscriptions_history_d20775_instance_key_idx;
ALTER INDEX tidemill.message_subscriptions_history_pkey ATTACH PARTITION tidemill.message_subscriptions_history_d20775_pkey;
ALTER INDEX tidemill.message_subscriptions_history_by_instance ATTACH PARTITION tidemill.message_subscriptions_history_d20776_instance_key_idx;
ALTER INDEX tidemill.message_subscriptions_history_pkey ATTACH PARTITION tidemill.message_subscriptions_history_d20776_pkey;
ALTER INDEX tidemill.message_subscriptions_history_by_instance ATTACH PARTITION tidemill.message_subscriptions_history_d20777_instance_key_idx;
ALTER INDEX tidemill.message_subscriptions_history_pkey ATTACH PARTITION tidemill.message_subscriptions_history_d20777_pkey;
ALTER INDEX tidemill.message_subscriptions_history_by_instance ATTACH PARTITION tidemill.message_subscriptions_history_default_instance_key_idx;
ALTER INDEX tidemill.message_subscriptions_history_pkey ATTACH PARTITION tidemill.message_subscriptions_history_default_pkey;
ALTER INDEX tidemill.process_instances_history_by_business_id ATTACH PARTITION tidemill.process_instances_history_d20775_business_id_idx;
ALTER INDEX tidemill.process_instances_history_by_definition_and_start ATTACH PARTITION tidemill.process_instances_history_d20775_definition_key_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated_by_definition ATTACH PARTITION tidemill.process_instances_history_d20775_definition_key_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled_by_definition ATTACH PARTITION tidemill.process_instances_history_d20775_definition_key_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_end ATTACH PARTITION tidemill.process_instances_history_d20775_ended_at_idx;
ALTER INDEX tidemill.process_instances_history_by_parent ATTACH PARTITION tidemill.process_instances_history_d20775_parent_key_parent_element_idx;
ALTER INDEX tidemill.process_instances_history_pkey ATTACH PARTITION tidemill.process_instances_history_d20775_pkey;
ALTER INDEX tidemill.process_instances_history_by_root ATTACH PARTITION tidemill.process_instances_history_d20775_root_key_idx;
ALTER INDEX tidemill.process_instances_history_by_start ATTACH PARTITION tidemill.process_instances_history_d20775_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated ATTACH PARTITION tidemill.process_instances_history_d20775_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled ATTACH PARTITION tidemill.process_instances_history_d20775_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_business_id ATTACH PARTITION tidemill.process_instances_history_d20776_business_id_idx;
ALTER INDEX tidemill.process_instances_history_by_definition_and_start ATTACH PARTITION tidemill.process_instances_history_d20776_definition_key_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated_by_definition ATTACH PARTITION tidemill.process_instances_history_d20776_definition_key_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled_by_definition ATTACH PARTITION tidemill.process_instances_history_d20776_definition_key_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_end ATTACH PARTITION tidemill.process_instances_history_d20776_ended_at_idx;
ALTER INDEX tidemill.process_instances_history_by_parent ATTACH PARTITION tidemill.process_instances_history_d20776_parent_key_parent_element_idx;
ALTER INDEX tidemill.process_instances_history_pkey ATTACH PARTITION tidemill.process_instances_history_d20776_pkey;
ALTER INDEX tidemill.process_instances_history_by_root ATTACH PARTITION tidemill.process_instances_history_d20776_root_key_idx;
ALTER INDEX tidemill.process_instances_history_by_start ATTACH PARTITION tidemill.process_instances_history_d20776_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated ATTACH PARTITION tidemill.process_instances_history_d20776_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled ATTACH PARTITION tidemill.process_instances_history_d20776_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_business_id ATTACH PARTITION tidemill.process_instances_history_d20777_business_id_idx;
ALTER INDEX tidemill.process_instances_history_by_definition_and_start ATTACH PARTITION tidemill.process_instances_history_d20777_definition_key_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated_by_definition ATTACH PARTITION tidemill.process_instances_history_d20777_definition_key_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled_by_definition ATTACH PARTITION tidemill.process_instances_history_d20777_definition_key_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_end ATTACH PARTITION tidemill.process_instances_history_d20777_ended_at_idx;
ALTER INDEX tidemill.process_instances_history_by_parent ATTACH PARTITION tidemill.process_instances_history_d20777_parent_key_parent_element_idx;
ALTER INDEX tidemill.process_instances_history_pkey ATTACH PARTITION tidemill.process_instances_history_d20777_pkey;
ALTER INDEX tidemill.process_instances_history_by_root ATTACH PARTITION tidemill.process_instances_history_d20777_root_key_idx;
ALTER INDEX tidemill.process_instances_history_by_start ATTACH PARTITION tidemill.process_instances_history_d20777_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated ATTACH PARTITION tidemill.process_instances_history_d20777_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled ATTACH PARTITION tidemill.process_instances_history_d20777_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_terminated_by_definition ATTACH PARTITION tidemill.process_instances_history_defaul_definition_key_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled_by_definition ATTACH PARTITION tidemill.process_instances_history_defaul_definition_key_started_at_idx2;
ALTER INDEX tidemill.process_instances_history_by_business_id ATTACH PARTITION tidemill.process_instances_history_default_business_id_idx;
ALTER INDEX tidemill.process_instances_history_by_definition_and_start ATTACH PARTITION tidemill.process_instances_history_default_definition_key_started_at_idx;
ALTER INDEX tidemill.process_instances_history_by_end ATTACH PARTITION tidemill.process_instances_history_default_ended_at_idx;
ALTER INDEX tidemill.process_instances_history_by_parent ATTACH PARTITION tidemill.process_instances_history_default_parent_key_parent_element_idx;
ALTER INDEX tidemill.process_instances_history_pkey ATTACH PARTITION tidemill.process_instances_history_default_pkey;
ALTER INDEX tidemill.process_instances_history_by_root ATTACH PARTITION tidemill.process_instances_history_default_root_key_idx;
ALTER INDEX tidemill.process_instances_history_by_start ATTACH PARTITION tidemill.process_instances_history_default_started_at_idx;
ALTER INDEX tidemill.process_instances_history_terminated ATTACH PARTITION tidemill.process_instances_history_default_started_at_idx1;
ALTER INDEX tidemill.process_instances_history_troubled ATTACH PARTITION tidemill.process_instances_history_default_started_at_idx2;
ALTER INDEX tidemill.user_tasks_history_by_assignee_and_creation ATTACH PARTITION tidemill.user_tasks_history_d20775_assignee_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_assignee ATTACH PARTITION tidemill.user_tasks_history_d20775_assignee_idx;
ALTER INDEX tidemill.user_tasks_history_by_creation ATTACH PARTITION tidemill.user_tasks_history_d20775_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_definition ATTACH PARTITION tidemill.user_tasks_history_d20775_definition_key_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_end ATTACH PARTITION tidemill.user_tasks_history_d20775_ended_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_instance ATTACH PARTITION tidemill.user_tasks_history_d20775_instance_key_idx;
ALTER INDEX tidemill.user_tasks_history_pkey ATTACH PARTITION tidemill.user_tasks_history_d20775_pkey;
ALTER INDEX tidemill.user_tasks_history_by_assignee_and_creation ATTACH PARTITION tidemill.user_tasks_history_d20776_assignee_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_assignee ATTACH PARTITION tidemill.user_tasks_history_d20776_assignee_idx;
ALTER INDEX tidemill.user_tasks_history_by_creation ATTACH PARTITION tidemill.user_tasks_history_d20776_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_definition ATTACH PARTITION tidemill.user_tasks_history_d20776_definition_key_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_end ATTACH PARTITION tidemill.user_tasks_history_d20776_ended_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_instance ATTACH PARTITION tidemill.user_tasks_history_d20776_instance_key_idx;
ALTER INDEX tidemill.user_tasks_history_pkey ATTACH PARTITION tidemill.user_tasks_history_d20776_pkey;
ALTER INDEX tidemill.user_tasks_history_by_assignee_and_creation ATTACH PARTITION tidemill.user_tasks_history_d20777_assignee_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_assignee ATTACH PARTITION tidemill.user_tasks_history_d20777_assignee_idx;
ALTER INDEX tidemill.user_tasks_history_by_creation ATTACH PARTITION tidemill.user_tasks_history_d20777_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_definition ATTACH PARTITION tidemill.user_tasks_history_d20777_definition_key_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_end ATTACH PARTITION tidemill.user_tasks_history_d20777_ended_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_instance ATTACH PARTITION tidemill.user_tasks_history_d20777_instance_key_idx;
ALTER INDEX tidemill.user_tasks_history_pkey ATTACH PARTITION tidemill.user_tasks_history_d20777_pkey;
ALTER INDEX tidemill.user_tasks_history_by_assignee_and_creation ATTACH PARTITION tidemill.user_tasks_history_default_assignee_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_assignee ATTACH PARTITION tidemill.user_tasks_history_default_assignee_idx;
ALTER INDEX tidemill.user_tasks_history_by_creation ATTACH PARTITION tidemill.user_tasks_history_default_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_definition ATTACH PARTITION tidemill.user_tasks_history_default_definition_key_created_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_end ATTACH PARTITION tidemill.user_tasks_history_default_ended_at_idx;
ALTER INDEX tidemill.user_tasks_history_by_instance ATTACH PARTITION tidemill.user_tasks_history_default_instance_key_idx;
ALTER INDEX tidemill.user_tasks_history_pkey ATTACH PARTITION tidemill.user_tasks_history_default_pkey;
ALTER INDEX tidemill.variables_history_by_instance ATTACH PARTITION tidemill.variables_history_d20775_instance_key_idx;
ALTER INDEX tidemill.variables_history_by_value ATTACH PARTITION tidemill.variables_history_d20775_name_case_key_idx;
ALTER INDEX tidemill.variables_history_pkey ATTACH PARTITION tidemill.variables_history_d20775_pkey;
ALTER INDEX tidemill.variables_history_by_instance ATTACH PARTITION tidemill.variables_history_d20776_instance_key_idx;
ALTER INDEX tidemill.variables_history_by_value ATTACH PARTITION tidemill.variables_history_d20776_name_case_key_idx;
ALTER INDEX tidemill.variables_history_pkey ATTACH PARTITION tidemill.variables_history_d20776_pkey;
ALTER INDEX tidemill.variables_history_by_instance ATTACH PARTITION tidemill.variables_history_d20777_instance_key_idx;
ALTER INDEX tidemill.variables_history_by_value ATTACH PARTITION tidemill.variables_history_d20777_name_case_key_idx;
ALTER INDEX tidemill.variables_history_pkey ATTACH PARTITION tidemill.variables_history_d20777_pkey;
ALTER INDEX tidemill.variables_history_by_instance ATTACH PARTITION tidemill.variables_history_default_instance_key_idx;
ALTER INDEX tidemill.variables_history_by_value ATTACH PARTITION tidemill.variables_history_default_name_case_key_idx;
ALTER INDEX tidemill.variables_history_pkey ATTACH PARTITION tidemill.variables_history_default_pkey;
