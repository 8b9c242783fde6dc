-- Indexes for searches over history. Rows that few instances have (those of called, terminated and troubled ones) have
-- indexes of their own, so that the others do not pay for them.

-- Found by name and value. Of a long value its beginning, length and end are indexed: see `Dialect::value_key`.
CREATE INDEX variables_history_by_value ON variables_history (name,
    (CASE WHEN length(value) <= 64 THEN value
    ELSE substr(value, 1, 32) || ':' || length(value) || ':' || substr(value, -32) END));

CREATE INDEX process_instances_by_root ON process_instances (root_key) WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_by_root ON process_instances_history (root_key) WHERE parent_key IS NOT NULL;
CREATE INDEX process_instances_history_terminated ON process_instances_history (state, started_at)
    WHERE state = 'TERMINATED';
CREATE INDEX process_instances_history_terminated_by_definition
    ON process_instances_history (definition_key, started_at) WHERE state = 'TERMINATED';
CREATE INDEX process_instances_history_troubled ON process_instances_history (has_incident, started_at)
    WHERE has_incident = 1;
CREATE INDEX process_instances_history_troubled_by_definition
    ON process_instances_history (definition_key, started_at) WHERE has_incident = 1;

CREATE INDEX element_instances_history_by_incident ON element_instances_history (incident_key)
    WHERE incident_key IS NOT NULL;

CREATE INDEX jobs_history_by_creation ON jobs_history (created_at);

-- Where people wait, rows are few and lists are sorted.
DROP INDEX user_tasks_history_by_assignee;
CREATE INDEX user_tasks_history_by_assignee ON user_tasks_history (assignee, created_at) WHERE assignee IS NOT NULL;
CREATE INDEX user_tasks_history_by_creation ON user_tasks_history (created_at);
CREATE INDEX user_tasks_history_by_end ON user_tasks_history (ended_at);
CREATE INDEX user_tasks_history_by_definition ON user_tasks_history (definition_key, created_at);
CREATE INDEX incidents_history_by_creation ON incidents_history (created_at);
CREATE INDEX incidents_history_by_error ON incidents_history (message_hash);
CREATE INDEX incidents_history_by_definition ON incidents_history (definition_key);
CREATE INDEX incidents_history_by_job ON incidents_history (job_key) WHERE job_key IS NOT NULL;
