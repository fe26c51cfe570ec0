-- What the nodes of a fleet are to have. Several processes write here: each locks the one row of the record first. The mark is another one after each change, as in repository_state.
CREATE TABLE fleet_record (
    one      BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
    revision BIGINT  NOT NULL,
    mark     UUID    NOT NULL DEFAULT gen_random_uuid(),
    -- JSON, as in record.json of a directory; null for nothing yet.
    document TEXT
);
INSERT INTO fleet_record (revision) VALUES (0);

CREATE TABLE fleet_generation (
    number  BIGINT PRIMARY KEY,
    applied TEXT   NOT NULL,
    who     TEXT   NOT NULL,
    why     TEXT   NOT NULL,
    sha256  TEXT   NOT NULL,
    -- JSON, to the letter: its digest is that of its canonical form.
    state   TEXT   NOT NULL
);

-- What each node has said last, to whichever process. Nothing is lost with it: nodes say it again.
CREATE TABLE fleet_report (
    node    TEXT        PRIMARY KEY,
    -- Counts the reports that were told, of all nodes: a process takes those beyond the last that it has seen.
    told    BIGINT      NOT NULL,
    teller  UUID        NOT NULL,
    heard   TIMESTAMPTZ NOT NULL,
    report  TEXT        NOT NULL
);
CREATE INDEX ON fleet_report (told);
