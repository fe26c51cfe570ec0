package org.tamanoir.node.probe;

import java.util.concurrent.atomic.LongAdder;

/**
 * What probing has done.
 *
 * @param answered  probes of others that were answered
 * @param overRate  probes that came above the rate
 * @param malformed datagrams at the reflector that are no probes
 * @param looped    datagrams at the reflector that are answers
 * @param unsent    answers that the kernel did not take
 * @param sent      own probes that the kernel took
 * @param received  answers to own probes
 * @param unmatched datagrams that answer no probe under way: late, twice, or forged
 */
public record ProbeCounters(LongAdder answered, LongAdder overRate, LongAdder malformed, LongAdder looped, LongAdder unsent, LongAdder sent,
                            LongAdder received, LongAdder unmatched) {
    ProbeCounters() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(),
                new LongAdder());
    }
}
