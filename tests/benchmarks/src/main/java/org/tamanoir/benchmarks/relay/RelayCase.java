package org.tamanoir.benchmarks.relay;

import org.tamanoir.benchmarks.report.Samples.Key;

/**
 * What is measured of every system.
 *
 * @param packet  octets, header included
 * @param streams at once
 */
record RelayCase(Work work, int packet, int streams) {
    /** What is found out. */
    enum Metric {
        THROUGHPUT("throughput", "Gbit/s"), PACKETS("packets", "1/s"), PEAK("peak-memory", "MB"),
        /** Of the relay, for 1e9 octets. */
        CPU("cpu", "s/GB"),
        ECHOES("echoes", "1/s"),
        /** Of the relay, for each echo. */
        CPU_EACH("cpu", "us"),
        RECEIVED("received", "1/s"), DISORDER("disorder", "ratio"), LOST("lost", "ratio"), P50("p50", "us"), P99("p99", "us");

        private final String title;
        private final String unit;

        Metric(String title, String unit) {
            this.title = title;
            this.unit = unit;
        }
    }

    /** What the load does, and the figure in which systems are compared. */
    enum Work {
        /** Streams as fast as they are taken. */
        STREAMS("streams", Metric.THROUGHPUT),
        /** One request at a time on one stream. */
        TRIPS("round-trip", Metric.P50),
        /** Some datagrams under way, each echoed. */
        ECHOES("datagrams-32-outstanding", Metric.ECHOES),
        /** As many datagrams as can be sent. */
        ONE_WAY("datagrams-one-way", Metric.RECEIVED),
        /** One datagram under way. */
        DATAGRAM_TRIPS("datagrams-round-trip", Metric.P50);

        private final String title;
        private final Metric main;

        Work(String title, Metric main) {
            this.title = title;
            this.main = main;
        }

        boolean isTrips() {
            return main == Metric.P50;
        }

        private boolean isOfDatagrams() {
            return this != STREAMS && this != TRIPS;
        }

        Metric main() {
            return main;
        }

        String mainInWords() {
            return this == ONE_WAY ? "one way" : main.title;
        }
    }

    Key figure(RelayKind system, Metric metric) {
        return key(system, metric.title, metric.unit);
    }

    /** The main figure of one system in parts of another's, of the same round. */
    Key ratio(RelayKind system, RelayKind other) {
        return ratio(system, work.main, other);
    }

    /** The same of any figure. Of datagrams only the main one is compared, and has no name. */
    Key ratio(RelayKind system, Metric metric, RelayKind other) {
        return key(system, (work.isOfDatagrams() ? "" : metric.title + "-") + "of-" + other, "ratio");
    }

    /** The node is compared to all others, and in throughput each to the router. */
    boolean isCompared(Metric metric, RelayKind kind, RelayKind other) {
        return (metric == work.main || metric == Metric.CPU) && kind != other
                && (kind == RelayKind.TAMANOIR || metric == Metric.THROUGHPUT && other == RelayKind.DIRECT);
    }

    private Key key(RelayKind system, String metric, String unit) {
        return new Key(work.title, system.toString(), packet, streams, metric, unit);
    }

    /** While it is measured. */
    String title() {
        return work == Work.TRIPS ? "round trips" : (work.isOfDatagrams() ? work.title + ", " : "") + this;
    }

    /** {@code streams-1400-8}, {@code datagrams-one-way-64}. */
    String fileName() {
        return work.title + "-" + packet + (work == Work.STREAMS ? "-" + streams : "");
    }

    /** For people: its packets, and how many streams where there may be several. */
    @Override
    public String toString() {
        return packet + " octets" + (work == Work.STREAMS ? ", " + streams + (streams == 1 ? " stream" : " streams") : "");
    }
}
