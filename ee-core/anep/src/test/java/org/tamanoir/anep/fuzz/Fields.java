package org.tamanoir.anep.fuzz;

import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.Welcome;

/** What a reader finds in a packet, in the words of the vectors: a line a field, in the order of {@link OptionType}. */
public final class Fields {
    private final List<String> lines = new ArrayList<>();

    private Fields() {
    }

    public static List<String> of(Packet packet) {
        Fields fields = new Fields();
        fields.add("type", Anep.typeName(packet.typeId()));
        fields.add("flags", "0x" + HexFormat.of().withUpperCase().toHexDigits((byte) packet.flags()));
        fields.add("header", packet.headerLength());
        fields.options(packet.options());
        fields.add("payload", ByteBufUtil.hexDump(packet.payload()));
        if (packet.contentEncoding() == ContentEncoding.JOINED) {
            fields.joined(packet);
        }
        return fields.lines;
    }

    /** As far as they are packets. */
    private void joined(Packet packet) {
        try {
            Framing.each(packet.buffer(), packet.payloadOffset(), packet.offset() + packet.length(), new Packet(), each -> {
                add("joined", ByteBufUtil.hexDump(each.buffer(), each.offset(), each.length()));
                return true;
            });
        } catch (MalformedPacketException e) {
            // What follows is no packet, and the splitter says so.
        }
    }

    private void options(PacketOptions options) {
        address("source", options.source());
        address("destination", options.destination());
        if (options.checksum()) {
            add("checksum");
        }
        if (options.authentication() != null) {
            add("authentication", options.authentication().scheme(), hex(options.authentication().address()));
        }
        if (options.hasStream()) {
            add("stream", options.streamId(), options.sequence());
        }
        if (options.port() >= 0) {
            add("delivery", options.port(), options.delivery());
        }
        if (options.chain().length > 0) {
            StringBuilder chain = new StringBuilder("chain");
            for (int typeId : options.chain()) {
                chain.append(' ').append(Anep.typeName(typeId));
            }
            lines.add(chain.toString());
        }
        if (options.previousNode() != null) {
            add("previousNode", options.previousNode().id(), options.previousNode().codePort());
        }
        if (options.hops() >= 0) {
            add("hops", options.hops());
        }
        if (options.handedOver()) {
            add("handedOver");
        }
        if (options.qosSession() != 0) {
            add("qosSession", options.qosSession());
        }
        if (options.timestamp() != 0) {
            add("timestamp", options.timestamp());
        }
        if (options.contentEncoding() != null) {
            add("contentEncoding", options.contentEncoding(), options.originalLength());
        }
        if (options.error() != null) {
            add("error", options.error().code(), options.error().text());
        }
        if (options.connectionUse() != null) {
            add("connection", options.connectionUse(), options.connectionNode());
        }
        if (options.cookie() != 0) {
            add("cookie", options.cookie());
        }
        if (options.hopCheck() != null) {
            add("hopCheck", options.hopCheck(), options.hopCheckNumber());
        }
        if (options.connected()) {
            add("connected");
        }
        if (options.trace() != null) {
            add("trace", options.trace());
        }
        options.parameters().forEach(each -> add("parameter", "0x%04x".formatted(each.typeId()), each.name(), each.value()));
        if (options.reach()) {
            add("reach");
        }
        if (options.session() instanceof Resume resume) {
            add("resume", resume.session(), resume.tokenHigh(), resume.tokenLow(), resume.epoch(), resume.fresh(), resume.received(), Integer.toHexString(resume.checksum()));
        } else if (options.session() instanceof Welcome welcome) {
            add("welcome", welcome.received(), Integer.toHexString(welcome.checksum()));
        } else if (options.session() instanceof Mark mark) {
            add("mark", mark.offset(), Integer.toHexString(mark.checksum()), mark.last(), mark.kept(), mark.keptLast(), mark.done(), mark.over());
        }
        if (options.session() != null && !options.session().states().isEmpty()) {
            options.session().states().forEach(state -> add("state", state.of() + "=" + hex(state.octets())));
        }
        options.unknown().forEach(option -> add("unknown", HexFormat.of().toHexDigits((char) option.tag()), hex(option.value())));
    }

    private void address(String name, Identifier address) {
        if (address != null) {
            add(name, address.scheme(), hex(address.address()), address);
        }
    }

    private static String hex(byte[] octets) {
        return HexFormat.of().formatHex(octets);
    }

    private void add(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(word).append(' ');
        }
        lines.add(line.toString().strip());
    }
}
