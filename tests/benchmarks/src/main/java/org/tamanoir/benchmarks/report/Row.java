package org.tamanoir.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * One figure.
 *
 * @param benchCase what was done ({@code throughput}, {@code round-trip}, …)
 * @param system    to which system
 * @param packet    octets of a packet, header included; 0 where that has no meaning
 * @param streams   at once; 0 where that has no meaning
 * @param metric    what was measured
 * @param value     the median of the runs; of simulated runs the mean
 * @param unit      of value, low and high
 * @param runs      how many runs
 * @param low       the least of them
 * @param high      the greatest of them
 */
@JsonPropertyOrder({"case", "system", "packet", "streams", "metric", "value", "unit", "runs", "low", "high"})
public record Row(@JsonProperty("case") String benchCase, String system, int packet, int streams, String metric, double value,
        String unit, int runs, double low, double high) {
}
