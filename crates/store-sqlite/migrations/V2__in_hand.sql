-- What the owner of a partition was about to run: whoever comes after a death finds there what may have caused it.
CREATE TABLE in_hand (partition_id INTEGER PRIMARY KEY, note BLOB NOT NULL);
ALTER TABLE inbox DROP COLUMN attempts;
