package org.tamanoir.services.compression;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** One stream at an end of the compressed path: one direction is compressed, the other restored. Holds no native memory. */
final class CompressedStream implements StreamHandler {
    private final Work toDestination;
    private final Work toSource;

    CompressedStream(Work toDestination, Work toSource) {
        this.toDestination = toDestination;
        this.toSource = toSource;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        return toDestination.apply(packet, out);
    }

    @Override
    public Verdict onReturn(Packet packet, Output out) {
        return toSource.apply(packet, out);
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("toDestination", report(toDestination));
        report.put("toSource", report(toSource));
        return report;
    }

    private static Map<String, Object> report(Work work) {
        Map<String, Object> report = work.tally().report();
        if (work.level() != null) {
            report.put("level", work.level());
        }
        return report;
    }
}
