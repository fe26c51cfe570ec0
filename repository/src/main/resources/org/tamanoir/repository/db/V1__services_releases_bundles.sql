-- What a repository has published. Several processes write here: each locks the row of the state first, and counts its revision up with what it changes. The mark is another one
-- after each change, so that a backup that was restored and changed since is not taken for what was there before.
CREATE TABLE repository_state (
    one      BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
    revision BIGINT  NOT NULL,
    mark     UUID    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO repository_state (revision) VALUES (0);

-- A name has one Type ID and a Type ID one name, for ever. Nobody's until somebody has signed a version.
CREATE TABLE repository_service (
    name      TEXT    PRIMARY KEY,
    type_id   INTEGER NOT NULL UNIQUE,
    publisher TEXT,
    UNIQUE (name, publisher)
);

-- A bundle that no release names was put and never published: it is removed when it is old enough.
CREATE TABLE repository_bundle (
    sha256   TEXT        PRIMARY KEY CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size     BIGINT      NOT NULL,
    manifest BYTEA       NOT NULL,
    signed   TEXT        NOT NULL,
    -- The process that has put it last, and when, by the clock of the database.
    lease    UUID        NOT NULL,
    put      TIMESTAMPTZ NOT NULL
);

CREATE TABLE repository_chunk (
    sha256 TEXT    NOT NULL REFERENCES repository_bundle ON DELETE CASCADE,
    number INTEGER NOT NULL,
    octets BYTEA   NOT NULL,
    PRIMARY KEY (sha256, number)
);
-- Jars are compressed already.
ALTER TABLE repository_chunk ALTER COLUMN octets SET STORAGE EXTERNAL;

CREATE TABLE repository_release (
    service   TEXT        NOT NULL REFERENCES repository_service,
    version   TEXT        NOT NULL,
    level     TEXT        NOT NULL,
    sha256    TEXT        NOT NULL UNIQUE,
    size      BIGINT      NOT NULL,
    uploaded  TIMESTAMPTZ NOT NULL,
    retired   BOOLEAN     NOT NULL,
    publisher TEXT,
    key       TEXT,
    -- The bundle, if it is kept here: what a release names cannot be removed.
    stored    TEXT        REFERENCES repository_bundle CHECK (stored = sha256),
    PRIMARY KEY (service, version),
    FOREIGN KEY (service, publisher) REFERENCES repository_service (name, publisher)
);
CREATE INDEX ON repository_release (stored);
