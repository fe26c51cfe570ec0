package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * How soon a changed rule is in force: datagrams go to a host every 20 microseconds while a rule there lets them up to a socket or drops
 * them, by turns. Each says when it was sent, so the last one by the old rule and the first one by the new rule say how late the change
 * was, by one clock and without the time that they took themselves.
 */
final class RuleChange {
    /** Rules in the kernel while one of them is changed. */
    static final List<Integer> RULES = List.of(10, 10_000);
    /** From dropping to passing, and back; the lines of {@link RuleChanger}. */
    static final List<String> DIRECTIONS = List.of("opened", "closed");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_OF_MILLI = 1e6;

    private final KernelTestbed testbed;
    private final Samples samples;
    private final KernelTestbed.Middle middle;

    RuleChange(KernelTestbed testbed, Samples samples) {
        this.testbed = testbed;
        this.samples = samples;
        this.middle = testbed.middle("change");
    }

    /** One round. @throws LabException if a change is not seen at all, or too few could be judged */
    void run(int rules, int changes) {
        String address = middle.address().getHostAddress();
        try (LabProcess changer = middle.host().start("rule changer", RuleChanger.command(middle.access().second().name(), address, rules, changes))) {
            changer.awaitLine("READY", PATIENCE);
            LabProcess load = testbed.client().start("load", testbed.tool().command(Placement.APART.client(), "udp-pace", address,
                    Integer.toString(RuleChanger.PORT), address, "80", Long.toString(RuleChanger.MOST.toSeconds() + 20), "0", "-1", "1", "echo"));
            try {
                changer.tell("go");
                for (String direction : DIRECTIONS) {
                    add(direction, rules, changes, LoadFigures.of(changer.awaitLine(direction, PATIENCE)));
                }
            } finally {
                load.close();
            }
        }
    }

    private void add(String direction, int rules, int changes, LoadFigures nanos) {
        if (nanos.get("counted") < changes / 2.0) {
            throw new LabException("too often nothing was sent when a rule changed: " + nanos);
        }
        samples.add(KernelFigure.change(direction, rules, "p50"), nanos.get("p50") / NANOS_OF_MILLI);
        samples.add(KernelFigure.change(direction, rules, "p99"), nanos.get("p99") / NANOS_OF_MILLI);
        samples.add(KernelFigure.change(direction, rules, "most"), nanos.get("most") / NANOS_OF_MILLI);
        samples.add(KernelFigure.change(direction, rules, "call-p50"), nanos.get("call-p50") / NANOS_OF_MILLI);
    }
}
