package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions.Unknown;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.SessionMessage.Welcome;

/** Reads each known option, and checks it first. {@code docs/anep.md} has the field tables. */
final class OptionReader {
    private OptionReader() {
    }

    /** Checks the value of a known option: {@code size} octets at {@code at}, padding included. */
    static void check(OptionType type, ByteBuf buffer, int at, int size) {
        boolean good = switch (type) {
            case SOURCE, DESTINATION -> size >= 4 && checkAddress(buffer.getInt(at), size - 4);
            case CHECKSUM -> size == 4;
            case AUTHENTICATION -> size >= 4;
            case STREAM -> size == 16;
            case DELIVERY -> size == 4 && Delivery.of(buffer.getUnsignedByte(at + 2)) != null && buffer.getUnsignedShort(at) != 0;
            case CHAIN -> size > 0 && size <= (Anep.MAX_CHAIN + 1) * 2 && chainLength(buffer, at, size) > 0;
            case PREVIOUS_NODE -> size == 12;
            case HOPS -> size == 4;
            case QOS_SESSION, TIMESTAMP, COOKIE -> size == 8;
            case RESUME -> size == 44;
            case REACH, CONNECTED -> size == 0;
            case TRACE -> size == OptionWriter.TRACE_SIZE && buffer.getUnsignedByte(at) != TraceContext.NO_VERSION;
            case PARAMETERS -> size > 0 && size <= StreamParameter.MOST_OCTETS && parameters(buffer, at, at + size) != null;
            case STATE -> size <= SessionMessage.MOST_STATE && endsWhole(buffer, at, at + size);
            case MARK -> size == 24 && buffer.getUnsignedByte(at) <= OptionWriter.MARK;
            case HOP_CHECK -> size == 12 && HopCheck.of(buffer.getUnsignedByte(at)) != null;
            case CONTENT_ENCODING -> size == 4 && ContentEncoding.of(buffer.getUnsignedByte(at)) != null;
            case CONNECTION -> size >= 4 && checkConnection(ConnectionUse.of(buffer.getUnsignedByte(at)), size);
            case ERROR -> size >= 4 && checkText(buffer, at + 4, buffer.getUnsignedShort(at + 2), size - 4);
        };
        if (!good) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "option " + type + " of " + size
                    + " octets holds a value that it cannot have");
        }
    }

    /** An offer names who makes it; nothing else does. */
    private static boolean checkConnection(ConnectionUse use, int size) {
        return use != null && size == (use == ConnectionUse.OFFER ? 12 : 4);
    }

    private static boolean checkAddress(int scheme, int size) {
        return switch (scheme) {
            case Identifier.IPV4 -> size == 4;
            case Identifier.IPV6 -> size == 16;
            case Identifier.IEEE_802_3 -> size == 8;
            default -> true;
        };
    }

    /** Whether {@code length} octets are text and, padded, take all of {@code size}. */
    private static boolean checkText(ByteBuf buffer, int at, int length, int size) {
        return length <= Anep.MAX_ERROR_TEXT && length <= size && size - length < Anep.WORD
                && ByteBufUtil.isText(buffer, at, length, StandardCharsets.UTF_8);
    }

    /** Type IDs before the padding; 0 where a zero stands between them or there is none. */
    private static int chainLength(ByteBuf buffer, int at, int size) {
        int length = size / 2;
        while (length > 0 && buffer.getUnsignedShort(at + 2 * (length - 1)) == 0) {
            length--;
        }
        for (int i = 0; i < length; i++) {
            if (buffer.getUnsignedShort(at + 2 * i) == 0) {
                return 0;
            }
        }
        return length > Anep.MAX_CHAIN ? 0 : length;
    }

    /** Whether states of services end where the option does, and their labels are text. */
    private static boolean endsWhole(ByteBuf buffer, int from, int end) {
        int at = from;
        while (at < end) {
            int next = stateEnd(buffer, at);
            if (next > end || !ByteBufUtil.isText(buffer, at + Anep.WORD, buffer.getUnsignedShort(at), StandardCharsets.UTF_8)) {
                return false;
            }
            at = next;
        }
        return at == end;
    }

    private static int stateEnd(ByteBuf buffer, int at) {
        int size = buffer.getUnsignedShort(at) + buffer.getUnsignedShort(at + 2);
        return at + Anep.WORD + (size + Anep.WORD - 1 & -Anep.WORD);
    }

    static PacketOptions read(Packet packet) {
        PacketOptions options = new PacketOptions();
        List<State> states = List.of();
        ByteBuf buffer = packet.buffer();
        for (int at = packet.firstOption(); at >= 0; at = packet.nextOption(at)) {
            int value = at + Anep.WORD;
            int size = packet.optionSize(at) - Anep.WORD;
            OptionType type = OptionType.ofTag(packet.optionTag(at));
            if (type == null) {
                options.addUnknown(new Unknown(packet.optionTag(at), octets(buffer, value, size)));
            } else if (type == OptionType.STATE) {
                states = states(buffer, value, value + size);
            } else {
                read(type, buffer, value, size, options);
            }
        }
        return states.isEmpty() || options.session() == null ? options : options.session(options.session().with(states));
    }

    private static void read(OptionType type, ByteBuf buffer, int at, int size, PacketOptions options) {
        switch (type) {
            case SOURCE -> options.source(address(buffer, at, size));
            case DESTINATION -> options.destination(address(buffer, at, size));
            case CHECKSUM -> options.checksum(true);
            case AUTHENTICATION -> options.authentication(new Identifier(buffer.getInt(at), octets(buffer, at + 4, size - 4)));
            case STREAM -> options.stream(buffer.getLong(at), buffer.getLong(at + 8));
            case DELIVERY -> options.delivery(buffer.getUnsignedShort(at), Delivery.of(buffer.getUnsignedByte(at + 2)));
            case CHAIN -> {
                int[] chain = new int[chainLength(buffer, at, size)];
                for (int i = 0; i < chain.length; i++) {
                    chain[i] = buffer.getUnsignedShort(at + 2 * i);
                }
                options.chain(chain);
            }
            case PREVIOUS_NODE -> options.previousNode(new PreviousNode(buffer.getLong(at), buffer.getUnsignedShort(at + 8)));
            case HOPS -> options.hops(buffer.getUnsignedByte(at))
                    .handedOver((buffer.getUnsignedByte(at + 1) & Packet.HANDED_OVER) != 0);
            case QOS_SESSION -> options.qosSession(buffer.getLong(at));
            case TIMESTAMP -> options.timestamp(buffer.getLong(at));
            case COOKIE -> options.cookie(buffer.getLong(at));
            case HOP_CHECK -> options.hopCheck(HopCheck.of(buffer.getUnsignedByte(at)), buffer.getLong(at + 4));
            case REACH -> options.reach(true);
            case CONNECTED -> options.connected(true);
            case TRACE -> options.trace(trace(buffer, at));
            case PARAMETERS -> options.parameters(parameters(buffer, at, at + size));
            case STATE -> throw new AssertionError("a state is read with what it belongs to");
            case RESUME, MARK -> options.session(session(type, buffer, at));
            case CONTENT_ENCODING -> options.contentEncoding(ContentEncoding.of(buffer.getUnsignedByte(at)),
                    buffer.getUnsignedShort(at + 2));
            case CONNECTION -> {
                ConnectionUse use = ConnectionUse.of(buffer.getUnsignedByte(at));
                options.connection(use, use == ConnectionUse.OFFER ? buffer.getLong(at + 4) : 0);
            }
            case ERROR -> options.error(new ErrorReport(ErrorCode.of(buffer.getUnsignedShort(at)),
                    buffer.toString(at + 4, buffer.getUnsignedShort(at + 2), StandardCharsets.UTF_8)));
        }
    }

    private static List<State> states(ByteBuf buffer, int from, int end) {
        List<State> states = new ArrayList<>();
        for (int at = from; at < end; at = stateEnd(buffer, at)) {
            int label = buffer.getUnsignedShort(at);
            states.add(new State(buffer.toString(at + Anep.WORD, label, StandardCharsets.UTF_8),
                    octets(buffer, at + Anep.WORD + label, buffer.getUnsignedShort(at + 2))));
        }
        return states;
    }

    private static SessionMessage session(OptionType type, ByteBuf buffer, int at) {
        if (type == OptionType.RESUME) {
            return new Resume(buffer.getLong(at), buffer.getLong(at + 8), buffer.getLong(at + 16), buffer.getInt(at + 24),
                    (buffer.getByte(at + 28) & OptionWriter.FRESH) != 0, buffer.getLong(at + 32), buffer.getInt(at + 40));
        }
        long offset = buffer.getLong(at + 4);
        int checksum = buffer.getInt(at + 12);
        if (buffer.getUnsignedByte(at) == OptionWriter.WELCOME) {
            return new Welcome(offset, checksum);
        }
        int flags = buffer.getUnsignedByte(at + 1);
        int why = buffer.getUnsignedShort(at + 2);
        return new Mark(offset, checksum, (flags & OptionWriter.LAST) != 0, buffer.getLong(at + 16), (flags & OptionWriter.KEPT_LAST) != 0,
                (flags & OptionWriter.DONE) != 0, why == 0 ? null : ErrorCode.of(why), List.of());
    }

    /** Null where one is none. */
    private static List<StreamParameter> parameters(ByteBuf buffer, int from, int end) {
        List<StreamParameter> parameters = new ArrayList<>();
        for (int at = from; at < end;) {
            int length = buffer.getUnsignedShort(at + 2);
            int next = at + Anep.WORD + (length + Anep.WORD - 1 & -Anep.WORD);
            if (next > end || !ByteBufUtil.isText(buffer, at + Anep.WORD, length, StandardCharsets.UTF_8)) {
                return null;
            }
            try {
                parameters.add(StreamParameter.of(buffer.getUnsignedShort(at), buffer.toString(at + Anep.WORD, length, StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                return null;
            }
            at = next;
        }
        return parameters;
    }

    /** Null where an id is 0. */
    private static TraceContext trace(ByteBuf buffer, int at) {
        long high = buffer.getLong(at + 1);
        long low = buffer.getLong(at + 9);
        long parent = buffer.getLong(at + 17);
        return TraceContext.isContext(high, low, parent) ? new TraceContext(high, low, parent, buffer.getUnsignedByte(at + 25)) : null;
    }

    private static Identifier address(ByteBuf buffer, int at, int size) {
        int scheme = buffer.getInt(at);
        return new Identifier(scheme, octets(buffer, at + 4, scheme == Identifier.IEEE_802_3 ? 6 : size - 4));
    }

    private static byte[] octets(ByteBuf buffer, int at, int size) {
        byte[] octets = new byte[size];
        buffer.getBytes(at, octets);
        return octets;
    }
}
