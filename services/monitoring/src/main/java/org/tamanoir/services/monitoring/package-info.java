/**
 * Passive measurement of streams: packets, octets, rates, packet sizes, inter-arrival times, and what the sequence numbers and
 * timestamps of packets tell about loss, duplicates, order and jitter. Every packet passes.
 *
 * <p>One {@link org.tamanoir.services.monitoring.FlowMeter} a direction does the work, with additions to plain numbers; nothing here
 * reads a clock for a packet. Uses the service API and {@code org.tamanoir.anep}.
 */
package org.tamanoir.services.monitoring;
