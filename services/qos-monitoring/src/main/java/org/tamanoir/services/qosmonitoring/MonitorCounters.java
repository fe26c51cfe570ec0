package org.tamanoir.services.qosmonitoring;

/** What a monitor counts; guarded by the monitor. */
final class MonitorCounters {
    /** Octets of IP packets of trains that were sent. */
    long octets;
    /** Probes that were sent. */
    long probes;
    /** Of these, answered in time. */
    long answered;
    /** Light trains. */
    long lightTrains;
    /** Throughput trains. */
    long throughputTrains;
    /** Throughput trains that flows made superfluous. */
    long leftOut;
    /** Trains that the node did not send. */
    long notSent;
    /** Trains of which the node told nothing. */
    long untold;
    /** Answers that were made up or came twice, and those with times that cannot be. */
    long implausible;
    /** Reports of flows that count. */
    long flows;
    /** Calls for a segment over the bound. */
    long refused;
}
