-- PostgreSQL keeps samples in partitions of their time: retention drops them, where deleting row by row would leave as much behind as it removes.
-- Partitions are made when their first sample comes (Partitions). What there is already becomes one, up to the midnight behind its newest sample.
ALTER TABLE sample RENAME TO sample_before;
DROP INDEX sample_of_session;
DROP INDEX sample_by_time;
ALTER TABLE sample_before DROP CONSTRAINT sample_pkey;
ALTER TABLE sample_before DROP CONSTRAINT sample_theodolite_boot_number_key;

CREATE TABLE sample (
    seq BIGINT NOT NULL,
    theodolite BIGINT NOT NULL,
    boot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    session BIGINT NOT NULL,
    kind TEXT NOT NULL,
    time BIGINT NOT NULL,
    found TEXT NOT NULL
) PARTITION BY RANGE (time);
-- A unique index of a partition says nothing of the others: who writes looks whether a number is known.
CREATE INDEX sample_by_seq ON sample (seq);
CREATE INDEX sample_by_number ON sample (theodolite, boot, number);
CREATE INDEX sample_of_session ON sample (session, time);

DO $$
DECLARE
    newest BIGINT;
BEGIN
    SELECT max(time) INTO newest FROM sample_before;
    IF newest IS NULL THEN
        DROP TABLE sample_before;
    ELSE
        EXECUTE format('ALTER TABLE sample ATTACH PARTITION sample_before FOR VALUES FROM (MINVALUE) TO (%s)', (newest / 86400000 + 1) * 86400000);
    END IF;
END $$;
