package org.tamanoir.paths.cost;

/**
 * One measurement of a path.
 *
 * @param from     host that sent
 * @param to       host that received
 * @param qosClass of the packets
 * @param value    in the unit of the metric
 * @param accuracy of the tool, as a part of the value: 0.05 for 5 %. Taken where there is one sample alone
 * @param time     when it ended, milliseconds of the epoch
 * @param tool     that measured: {@code transfer}, {@code throughput}, {@code stamp} ...
 * @param source   who says so: the node's name
 * @param octets   that were carried; 0 if that does not matter
 * @param streams  TCP connections at once; 0 if that does not matter
 */
public record Sample(String from, String to, String qosClass, Metric metric, double value, double accuracy, long time, String tool, String source, double octets, int streams) {
}
