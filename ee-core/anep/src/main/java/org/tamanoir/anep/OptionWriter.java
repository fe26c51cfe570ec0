package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.Unknown;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.SessionMessage.Welcome;

/** Writes each option that is set, in the order of {@link OptionType}, the unknown ones last. {@link PacketOptions} has checked the values. */
final class OptionWriter {
    /** What option 14 is. */
    static final int WELCOME = 0;
    static final int MARK = 1;
    /** Bits of the options 13 and 14. */
    static final int FRESH = 0x80;
    static final int LAST = 0x80;
    static final int KEPT_LAST = 0x40;
    static final int DONE = 0x20;
    /** Octets of the value of option 18. */
    static final int TRACE_SIZE = 28;

    private OptionWriter() {
    }

    /** Writes every option that is set at the writer index; returns the index of the checksum's field, or -1. */
    static int write(PacketOptions options, ByteBuf out) {
        int checksumAt = -1;
        if (options.source() != null) {
            writeIdentifier(OptionType.SOURCE, options.source(), out);
        }
        if (options.destination() != null) {
            writeIdentifier(OptionType.DESTINATION, options.destination(), out);
        }
        if (options.checksum()) {
            checksumAt = begin(OptionType.CHECKSUM, 4, out).writerIndex();
            out.writeInt(0);
        }
        if (options.authentication() != null) {
            writeIdentifier(OptionType.AUTHENTICATION, options.authentication(), out);
        }
        if (options.hasStream()) {
            begin(OptionType.STREAM, 16, out).writeLong(options.streamId()).writeLong(options.sequence());
        }
        if (options.port() > 0) {
            begin(OptionType.DELIVERY, 4, out).writeShort(options.port()).writeByte(options.delivery().number()).writeByte(0);
        }
        writeChain(options.chain(), out);
        if (options.previousNode() != null) {
            begin(OptionType.PREVIOUS_NODE, 12, out).writeLong(options.previousNode().id())
                    .writeShort(options.previousNode().codePort()).writeShort(0);
        }
        if (options.hops() >= 0) {
            begin(OptionType.HOPS, 4, out).writeByte(options.hops())
                    .writeByte(options.handedOver() ? Packet.HANDED_OVER : 0).writeZero(2);
        }
        if (options.qosSession() != 0) {
            begin(OptionType.QOS_SESSION, 8, out).writeLong(options.qosSession());
        }
        if (options.timestamp() != 0) {
            begin(OptionType.TIMESTAMP, 8, out).writeLong(options.timestamp());
        }
        if (options.contentEncoding() != null) {
            begin(OptionType.CONTENT_ENCODING, 4, out).writeByte(options.contentEncoding().number()).writeByte(0)
                    .writeShort(options.originalLength());
        }
        writeError(options.error(), out);
        writeConnection(options, out);
        if (options.cookie() != 0) {
            begin(OptionType.COOKIE, 8, out).writeLong(options.cookie());
        }
        if (options.hopCheck() != null) {
            begin(OptionType.HOP_CHECK, 12, out).writeInt(options.hopCheck().number() << 24).writeLong(options.hopCheckNumber());
        }
        writeSession(options.session(), out);
        if (options.reach()) {
            begin(OptionType.REACH, 0, out);
        }
        if (options.connected()) {
            begin(OptionType.CONNECTED, 0, out);
        }
        if (options.trace() != null) {
            TraceContext trace = options.trace();
            begin(OptionType.TRACE, TRACE_SIZE, out).writeByte(0).writeLong(trace.traceHigh()).writeLong(trace.traceLow()).writeLong(trace.parent())
                    .writeByte(trace.flags()).writeZero(2);
        }
        writeParameters(options.parameters(), out);
        for (Unknown option : options.unknown()) {
            out.writeShort(option.tag()).writeShort(option.value().length / Anep.WORD + 1).writeBytes(option.value());
        }
        return checksumAt;
    }

    private static void writeIdentifier(OptionType type, Identifier identifier, ByteBuf out) {
        byte[] address = identifier.address();
        begin(type, 4 + address.length, out).writeInt(identifier.scheme()).writeBytes(address);
        pad(address.length, out);
    }

    private static void writeChain(int[] chain, ByteBuf out) {
        if (chain.length == 0) {
            return;
        }
        begin(OptionType.CHAIN, chain.length * 2, out);
        for (int typeId : chain) {
            out.writeShort(typeId);
        }
        pad(chain.length * 2, out);
    }

    private static void writeError(ErrorReport error, ByteBuf out) {
        if (error == null) {
            return;
        }
        byte[] text = error.text().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, Anep.MAX_ERROR_TEXT);
        while (length < text.length && (text[length] & 0xC0) == 0x80) {
            length--; // not in the middle of a character
        }
        begin(OptionType.ERROR, 4 + length, out).writeShort(error.code().number()).writeShort(length).writeBytes(text, 0, length);
        pad(length, out);
    }

    private static void writeConnection(PacketOptions options, ByteBuf out) {
        if (options.connectionUse() == ConnectionUse.OFFER) {
            begin(OptionType.CONNECTION, 12, out).writeInt(ConnectionUse.OFFER.number() << 24).writeLong(options.connectionNode());
        } else if (options.connectionUse() != null) {
            begin(OptionType.CONNECTION, 4, out).writeInt(options.connectionUse().number() << 24);
        }
    }

    private static void writeSession(SessionMessage message, ByteBuf out) {
        if (message instanceof Resume resume) {
            begin(OptionType.RESUME, 44, out).writeLong(resume.session()).writeLong(resume.tokenHigh()).writeLong(resume.tokenLow()).writeInt(resume.epoch())
                    .writeInt(resume.fresh() ? FRESH << 24 : 0).writeLong(resume.received()).writeInt(resume.checksum());
        } else if (message instanceof Welcome welcome) {
            begin(OptionType.MARK, 24, out).writeInt(WELCOME << 24).writeLong(welcome.received()).writeInt(welcome.checksum()).writeLong(0);
        } else if (message instanceof Mark mark) {
            begin(OptionType.MARK, 24, out).writeByte(MARK).writeByte((mark.last() ? LAST : 0) | (mark.keptLast() ? KEPT_LAST : 0) | (mark.done() ? DONE : 0))
                    .writeShort(mark.over() == null ? 0 : mark.over().number()).writeLong(mark.offset()).writeInt(mark.checksum()).writeLong(mark.kept());
        }
        if (message != null && !message.states().isEmpty()) {
            writeStates(message.states(), out);
        }
    }

    private static void writeStates(List<State> states, ByteBuf out) {
        int start = out.writerIndex();
        out.writeInt(0);
        for (State state : states) {
            byte[] label = state.of().getBytes(StandardCharsets.UTF_8);
            out.writeShort(label.length).writeShort(state.octets().length).writeBytes(label).writeBytes(state.octets());
            pad(label.length + state.octets().length, out);
        }
        out.setShort(start, OptionType.STATE.tag()).setShort(start + 2, (out.writerIndex() - start) / Anep.WORD);
    }

    private static void writeParameters(List<StreamParameter> parameters, ByteBuf out) {
        if (parameters.isEmpty()) {
            return;
        }
        begin(OptionType.PARAMETERS, parameters.stream().mapToInt(StreamParameter::size).sum(), out);
        for (StreamParameter parameter : parameters) {
            byte[] text = parameter.text().getBytes(StandardCharsets.UTF_8);
            out.writeShort(parameter.typeId()).writeShort(text.length).writeBytes(text);
            pad(text.length, out);
        }
    }

    /** Writes tag and length of an option whose value has {@code size} octets before the padding. */
    private static ByteBuf begin(OptionType type, int size, ByteBuf out) {
        return out.writeShort(type.tag()).writeShort((size + Anep.WORD - 1) / Anep.WORD + 1);
    }

    private static void pad(int size, ByteBuf out) {
        out.writeZero(-size & (Anep.WORD - 1));
    }
}
