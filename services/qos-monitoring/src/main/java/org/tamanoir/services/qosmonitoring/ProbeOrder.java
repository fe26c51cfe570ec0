package org.tamanoir.services.qosmonitoring;

import org.tamanoir.service.probe.Probes.Train;

/** A train that is to be sent, and is under way then. Each is itself only. */
final class ProbeOrder {
    /** By then the queue that a throughput train makes has gone, even at 2 Mb/s; nanoseconds. */
    private static final long HOLD_NANOS = 250_000_000;

    final WatchedSegment segment;
    final MeasuredClass target;
    final Train train;
    final boolean throughput;
    final long sentNanos;
    /** What came back of it; null while that is not known. */
    ReceivedTrain received;

    ProbeOrder(WatchedSegment segment, MeasuredClass target, Train train, boolean throughput, long sentNanos) {
        this.segment = segment;
        this.target = target;
        this.train = train;
        this.throughput = throughput;
        this.sentNanos = sentNanos;
    }

    Train train() {
        return train;
    }

    /** Whether light probes wait for it: they would measure the queue that it makes. */
    boolean isInTheWay(long nowNanos) {
        return nowNanos - sentNanos < HOLD_NANOS;
    }

    long octets() {
        return MonitoringSettings.octets(train);
    }

    /** From its first packet to its last. */
    long sendingNanos() {
        return train.gap().toNanos() * train.packets();
    }

    /** When the node has told what came back at the latest, if it ever does. */
    long untoldNanos(long slack) {
        return sentNanos + sendingNanos() + train.patience().toNanos() + slack;
    }
}
