-- What operators wish: which node has a partition, and which takes none.
ALTER TABLE partitions ADD COLUMN preferred text;
ALTER TABLE nodes ADD COLUMN is_draining boolean NOT NULL DEFAULT false;
