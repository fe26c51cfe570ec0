package org.tamanoir.cli.decode;

import io.netty.buffer.ByteBufUtil;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.Unknown;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.Welcome;

/** A packet as lines for a person: one for the header, one an option, one for the payload. */
public final class TextPrinter implements PacketPrinter {
    private static final int FIELD = 18;

    private final PrintWriter out;
    private final int octets;
    private final StringBuilder text = new StringBuilder(512);
    private long count;

    /** @param octets of each payload that are printed */
    public TextPrinter(PrintWriter out, int octets) {
        this.out = out;
        this.octets = octets;
    }

    @Override
    public void begin() {
        // Nothing stands before the first packet.
    }

    @Override
    public void packet(long offset, Packet packet) {
        count++;
        text.setLength(0);
        text.append("offset ").append(offset).append(": type ").append(Anep.typeName(packet.typeId())).append(", ")
                .append(packet.length()).append(" octets (header ").append(packet.headerLength()).append(", payload ")
                .append(packet.payloadLength()).append("), version ").append(Anep.VERSION).append(", flags 0x")
                .append(HexFormat.of().toHexDigits((byte) packet.flags()))
                .append(packet.discardIfUnknown() ? " (discard where the type is unknown)" : "").append('\n');
        if (packet.hasOptions()) {
            options(packet.options());
        }
        int shown = Math.min(octets, packet.payloadLength());
        if (shown > 0) {
            field("payload", ByteBufUtil.hexDump(packet.buffer(), packet.payloadOffset(), shown)
                    + (shown < packet.payloadLength() ? " ..." : ""));
        }
        out.append(text);
    }

    private void options(PacketOptions options) {
        address("source", options.source());
        address("destination", options.destination());
        if (options.checksum()) {
            field("checksum", "matches");
        }
        if (options.authentication() != null) {
            int scheme = options.authentication().scheme();
            field("authentication", (scheme == 1 ? "SPKI " : scheme == 2 ? "X.509 " : "scheme " + Integer.toUnsignedString(scheme) + " ")
                    + HexFormat.of().formatHex(options.authentication().address()));
        }
        if (options.hasStream()) {
            field("stream", Long.toUnsignedString(options.streamId()) + ", sequence " + Long.toUnsignedString(options.sequence()));
        }
        if (options.port() >= 0) {
            field("delivery", "port " + options.port() + ", " + options.delivery());
        }
        if (options.chain().length > 0) {
            field("chain", String.join(", ", TypeNames.of(options.chain())));
        }
        if (options.previousNode() != null) {
            field("previous node", Long.toUnsignedString(options.previousNode().id()) + ", code port "
                    + options.previousNode().codePort());
        }
        rest(options);
    }

    private void rest(PacketOptions options) {
        if (options.hops() >= 0) {
            field("hops", options.hops() + (options.handedOver() ? ", handed over" : ""));
        }
        if (options.qosSession() != 0) {
            field("QoS session", Long.toUnsignedString(options.qosSession()));
        }
        if (options.cookie() != 0) {
            field("cookie", "%016x".formatted(options.cookie()));
        }
        if (options.hopCheck() != null) {
            field("hop check", options.hopCheck().name().toLowerCase(Locale.ROOT) + " %016x".formatted(options.hopCheckNumber()));
        }
        if (options.reach()) {
            field("reach", "the payload tells which destinations the sender reaches");
        }
        if (options.connected()) {
            field("connected", "the last node is to say when the destination has accepted, or says so");
        }
        if (options.trace() != null) {
            field("traceparent", options.trace().toString());
        }
        options.parameters().forEach(each -> field("parameter", Anep.typeName(each.typeId()) + ": " + each.name() + "=" + each.value()));
        if (options.session() instanceof Resume resume) {
            field("resume", resume.toString());
        } else if (options.session() instanceof Welcome welcome) {
            field("welcome", "%d octets received, CRC-32C %08x".formatted(welcome.received(), welcome.checksum()));
        } else if (options.session() instanceof Mark mark) {
            field("mark", "after %d octets%s, CRC-32C %08x, %d kept%s%s%s".formatted(mark.offset(), mark.last() ? " and the end" : "", mark.checksum(), mark.kept(),
                    mark.keptLast() ? " and the end" : "", mark.done() ? ", done" : "", mark.over() == null ? "" : ", over: " + mark.over()));
        }
        if (options.timestamp() != 0) {
            field("timestamp", Instant.EPOCH.plusNanos(options.timestamp()).toString());
        }
        if (options.contentEncoding() != null) {
            field("content encoding", options.contentEncoding() + ", " + options.originalLength() + " octets before");
        }
        if (options.error() != null) {
            field("error", options.error().code() + " " + printable(options.error().text()));
        }
        for (Unknown option : options.unknown()) {
            field("unknown option", (option.isPrivate() ? "private " : "public ") + option.number() + " "
                    + HexFormat.of().formatHex(option.value()));
        }
    }

    private void address(String name, Identifier address) {
        if (address != null) {
            field(name, address.toString());
        }
    }

    private void field(String name, String value) {
        text.append("  ").append(name).append(" ".repeat(FIELD - name.length())).append(value.stripTrailing()).append('\n');
    }

    /** A text that came from the network, without anything that a terminal would obey. */
    private static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            int type = Character.getType(point);
            if (Character.isISOControl(point) || type == Character.FORMAT || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR || type == Character.UNASSIGNED || type == Character.PRIVATE_USE) {
                printable.append(String.format("\\u{%x}", point));
            } else {
                printable.appendCodePoint(point);
            }
        });
        return printable.toString();
    }

    @Override
    public void end(long offset, AnepException error) {
        out.append(Long.toString(count)).append(count == 1 ? " packet, " : " packets, ").append(Long.toString(offset)).append(" octets\n");
    }

    @Override
    public void flush() {
        // Every packet is handed on at once.
    }
}
