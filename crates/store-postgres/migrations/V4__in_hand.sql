-- What the owner of a partition was about to run: whoever comes after a death finds there what may have caused it.
-- The column `attempts` of the inbox counts nothing any more. It stays for servers that still run the version before.
CREATE TABLE in_hand (partition_id smallint PRIMARY KEY, note bytea NOT NULL);
