package org.tamanoir.services.coalesce;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketSplitter;
import org.tamanoir.service.Output;
import org.tamanoir.service.Verdict;

/** The direction of a stream that is split here. What is not joined passes; a joined packet that is not good is dropped as a whole. */
final class SplitDirection {
    private static final Verdict BAD_CONTENT = Verdict.drop("bad-content");

    private final ServiceCounters totals;
    private final PacketSplitter splitter = new PacketSplitter();
    private final Packet view = new Packet();
    private long split;
    private long restored;
    private long refused;

    SplitDirection(ServiceCounters totals) {
        this.totals = totals;
    }

    Verdict packet(Packet packet, Output out) {
        if (packet.contentEncoding() != ContentEncoding.JOINED) {
            return Verdict.PASS;
        }
        ByteBuf packets;
        try {
            packets = splitter.split(packet, out.allocator());
        } catch (MalformedPacketException e) {
            refused++;
            totals.refused.increment();
            return BAD_CONTENT;
        }
        split++;
        totals.split.increment();
        long before = restored;
        try {
            Framing.each(packets, packets.readerIndex(), packets.writerIndex(), view, each -> {
                restored++;
                out.emit(each);
                return true;
            });
        } finally {
            packets.release();
        }
        totals.restored.add(restored - before);
        return Verdict.TAKEN;
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("does", "split");
        report.put("split", split);
        report.put("restored", restored);
        report.put("refused", refused);
        return report;
    }
}
