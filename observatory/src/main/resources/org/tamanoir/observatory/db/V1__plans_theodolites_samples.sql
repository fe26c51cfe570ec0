-- For SQLite and PostgreSQL alike. One process writes, and gives the numbers. Times are milliseconds of the epoch.

-- Every plan and topology that was ever put.
CREATE TABLE document (
    kind TEXT NOT NULL,
    version BIGINT NOT NULL,
    time BIGINT NOT NULL,
    who TEXT NOT NULL,
    format TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (kind, version)
);

CREATE TABLE theodolite (
    id ${serial},
    name TEXT NOT NULL UNIQUE,
    -- Who may speak for it; empty for who comes next.
    identity TEXT NOT NULL,
    registration TEXT NOT NULL,
    registered BIGINT NOT NULL
);

-- TASK/CLASS/FROM/TO.
CREATE TABLE session (
    id ${serial},
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE sample (
    -- In the order in which they were kept: where a publication has come to.
    seq ${serial},
    theodolite BIGINT NOT NULL,
    boot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    session BIGINT NOT NULL,
    kind TEXT NOT NULL,
    time BIGINT NOT NULL,
    -- JSON: values by their names.
    found TEXT NOT NULL,
    UNIQUE (theodolite, boot, number)
);
CREATE INDEX sample_of_session ON sample (session, time);
CREATE INDEX sample_by_time ON sample (time);

CREATE TABLE publication (
    name TEXT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL
);
