-- Indexes for searches over history. Rows that few instances have (those of called, terminated and troubled ones) have
-- indexes of their own, so that the others do not pay for them. Only the parents get them here, in no time: those of
-- the days that are already there are built beside the work, without a lock that commits wait for.

-- Found by name and value. Of a long value its beginning and a hash are indexed: see `Dialect::value_key`.
CREATE INDEX variables_history_by_value ON ONLY variables_history (name,
    (CASE WHEN length(value) <= 64 THEN value ELSE left(value, 32) || ':' || md5(value) END), key);

CREATE INDEX process_instances_by_root ON process_instances (root_key) WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_by_root ON ONLY process_instances_history (root_key)
    WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_by_end ON ONLY process_instances_history (ended_at);
CREATE INDEX process_instances_history_terminated ON ONLY process_instances_history (started_at)
    WHERE state = 'TERMINATED';
CREATE INDEX process_instances_history_terminated_by_definition
    ON ONLY process_instances_history (definition_key, started_at) WHERE state = 'TERMINATED';
CREATE INDEX process_instances_history_troubled ON ONLY process_instances_history (started_at)
    WHERE has_incident;
CREATE INDEX process_instances_history_troubled_by_definition
    ON ONLY process_instances_history (definition_key, started_at) WHERE has_incident;

CREATE INDEX element_instances_history_by_incident ON ONLY element_instances_history (incident_key)
    WHERE incident_key IS NOT NULL;

CREATE INDEX jobs_history_by_creation ON ONLY jobs_history (created_at);

-- Where people wait, rows are few and lists are sorted.
CREATE INDEX user_tasks_history_by_assignee_and_creation ON ONLY user_tasks_history (assignee, created_at)
    WHERE assignee IS NOT NULL;
CREATE INDEX user_tasks_history_by_creation ON ONLY user_tasks_history (created_at);
CREATE INDEX user_tasks_history_by_end ON ONLY user_tasks_history (ended_at);
CREATE INDEX user_tasks_history_by_definition ON ONLY user_tasks_history (definition_key, created_at);
CREATE INDEX incidents_history_by_creation ON ONLY incidents_history (created_at);
CREATE INDEX incidents_history_by_error ON ONLY incidents_history (message_hash);
CREATE INDEX incidents_history_by_definition ON ONLY incidents_history (definition_key);
CREATE INDEX incidents_history_by_job ON ONLY incidents_history (job_key) WHERE job_key IS NOT NULL;
