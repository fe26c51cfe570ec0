package org.tamanoir.services.qosmonitoring;

import org.tamanoir.service.probe.Train;

/** A train that is to be sent, and is under way then. Each is itself only. */
final class ProbeOrder {
    final WatchedSegment segment;
    final MeasuredClass target;
    final Train train;
    final boolean throughput;
    final long sentNanos;

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
