-- Owners that want to be notified, under a name that says so. Nodes of earlier versions that still run during an update go on
-- through the view.
ALTER TABLE naps RENAME TO sleeping_owners;
CREATE VIEW naps AS SELECT partition_id, is_asleep FROM sleeping_owners;
