-- Changes of committed batches that have not reached the tables. Whoever brings them there deletes them in the same transaction.
CREATE TABLE redo (
    partition_id smallint NOT NULL,
    number bigint NOT NULL DEFAULT nextval('positions'),
    data bytea NOT NULL,
    PRIMARY KEY (partition_id, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0);
-- Records are compressed already: a second try would only cost time.
ALTER TABLE redo ALTER COLUMN data SET STORAGE EXTERNAL;

-- A server of an earlier version reads the tables alone. While it still runs during an update, it must not take a partition whose
-- changes have not all reached them.
CREATE FUNCTION keep_for_followers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('tidemill.follows_log', true) IS DISTINCT FROM 'on'
        AND EXISTS (SELECT 1 FROM redo WHERE partition_id = NEW.partition_id) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER partitions_of_followers BEFORE UPDATE ON partitions
    FOR EACH ROW WHEN (NEW.epoch > OLD.epoch) EXECUTE FUNCTION keep_for_followers();
