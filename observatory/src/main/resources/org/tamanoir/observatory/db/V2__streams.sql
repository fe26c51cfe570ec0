-- What streams did that passed nodes with theodolites. Ends are addresses, or prefixes where a theodolite cuts them.
CREATE TABLE stream (
    theodolite BIGINT NOT NULL,
    boot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    time BIGINT NOT NULL,
    -- The node's number for it.
    stream BIGINT NOT NULL,
    source TEXT NOT NULL,
    destination TEXT NOT NULL,
    class TEXT NOT NULL,
    ended INTEGER NOT NULL,
    octets BIGINT NOT NULL,
    size BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    streams INTEGER NOT NULL,
    cause TEXT NOT NULL,
    share DOUBLE PRECISION NOT NULL,
    sure INTEGER NOT NULL,
    sentence TEXT NOT NULL,
    PRIMARY KEY (theodolite, boot, number)
);
CREATE INDEX stream_between ON stream (source, destination, time);
CREATE INDEX stream_by_time ON stream (time);
