package org.tamanoir.service.qos;

import java.time.Instant;
import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Prefix;

/**
 * The Open Service Level Specification of a flow: what it is, what it needs, what it will send. It has been validated.
 *
 * @param flow        which packets
 * @param ingress     name or id of the node where the flow enters; null for any
 * @param egress      names or ids of nodes where it may leave; empty for any
 * @param customer    who asks; null if that was not said
 * @param objectives  what it needs
 * @param traffic     what it will send; null if that was not said
 * @param excess      what happens to what is over the profile
 * @param start       from when; null for now
 * @param stop        until when; null for until it is released or idle
 * @param reliability stored and reported, nothing more; null if nothing was said
 */
public record ServiceLevel(Flow flow, String ingress, List<String> egress, String customer, Objectives objectives, Traffic traffic,
        Excess excess, Instant start, Instant stop, Reliability reliability) {
    public ServiceLevel {
        egress = List.copyOf(egress);
    }

    /**
     * Which packets a session is for. What is null or 0 is anything.
     *
     * @param transport       TCP or UDP
     * @param source          prefix of the source
     * @param destination     prefix of the destination
     * @param sourcePort      1 to 65,535, or 0
     * @param destinationPort 1 to 65,535, or 0
     * @param stream          ANEP stream id, or 0
     */
    public record Flow(Transport transport, Prefix source, Prefix destination, int sourcePort, int destinationPort, long stream) {
    }

    /**
     * What was said of reliability.
     *
     * @param meanDowntime minutes a year
     * @param timeToRepair seconds
     */
    public record Reliability(double meanDowntime, double timeToRepair) {
    }
}
