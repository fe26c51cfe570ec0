-- What the kernel said of one connection of a stream in up to a minute: a chunk of many samples, not a row for each.
CREATE TABLE series (
    theodolite BIGINT NOT NULL,
    boot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    time BIGINT NOT NULL,
    stream BIGINT NOT NULL,
    leg TEXT NOT NULL,
    source TEXT NOT NULL,
    destination TEXT NOT NULL,
    samples INTEGER NOT NULL,
    -- JSON: least, mean and most of each column. It stays when the chunk goes.
    rollup TEXT NOT NULL,
    -- A series (org.tamanoir.paths.series), compressed with zstd.
    chunk ${octets},
    PRIMARY KEY (theodolite, boot, number)
);
CREATE INDEX series_of_stream ON series (theodolite, boot, stream, time);
CREATE INDEX series_between ON series (source, destination, time);
CREATE INDEX series_by_time ON series (time);
