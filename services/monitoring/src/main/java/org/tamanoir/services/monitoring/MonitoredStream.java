package org.tamanoir.services.monitoring;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;

/** One stream: a meter for each direction. */
final class MonitoredStream implements RunHandler {
    private final FlowMeter toDestination = new FlowMeter();
    private final FlowMeter toSource = new FlowMeter();
    private final Totals totals;
    private final LongSupplier clock;

    /** @param clock the clock of {@link Packet#receivedNanos()}, asked for reports only */
    MonitoredStream(Totals totals, LongSupplier clock) {
        this.totals = totals;
        this.clock = clock;
    }

    @Override
    public void onRun(Run run, Output out) {
        toDestination.count(run);
    }

    @Override
    public void onReturnRun(Run run, Output out) {
        toSource.count(run);
    }

    @Override
    public boolean gathers() {
        return false;
    }

    @Override
    public Map<String, Object> report() {
        long now = clock.getAsLong();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("toDestination", FlowReport.of(toDestination, now));
        report.put("toSource", FlowReport.of(toSource, now));
        return report;
    }

    @Override
    public void close() {
        totals.end(this);
    }

    FlowCounters toDestination() {
        return toDestination.counters();
    }

    FlowCounters toSource() {
        return toSource.counters();
    }
}
