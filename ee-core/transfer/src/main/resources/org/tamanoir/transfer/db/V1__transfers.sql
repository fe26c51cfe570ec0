-- The queue in PostgreSQL. One row, which says whose queue it is and which of its writers is the newest.
CREATE TABLE transfer_queue (
    name TEXT PRIMARY KEY,
    writer BIGINT NOT NULL
);

-- "value" is the whole transfer; the other columns stand beside it to be looked up.
CREATE TABLE transfer (
    number BIGINT NOT NULL,
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    value JSONB NOT NULL
);

-- What was measured from one host to another.
CREATE TABLE transfer_link (
    link TEXT PRIMARY KEY,
    value JSONB NOT NULL
);
