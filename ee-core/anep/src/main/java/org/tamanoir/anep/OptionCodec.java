package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions.Unknown;

/** The layout of each known option: checks, reads and writes it. {@code docs/anep.md} has the field tables. */
final class OptionCodec {
    /** Services after the first; a longer chain is a mistake. */
    static final int MAX_CHAIN = 15;
    /** An error's text in octets of UTF-8: fits a datagram that fits an Ethernet frame. */
    static final int MAX_ERROR_TEXT = 1024;

    private OptionCodec() {
    }

    /** Checks the value of a known option: {@code size} octets at {@code at}, padding included. */
    static void check(OptionType type, ByteBuf buffer, int at, int size) {
        boolean good = switch (type) {
            case SOURCE, DESTINATION -> size >= 4 && checkAddress(buffer.getInt(at), size - 4);
            case CHECKSUM -> size == 4;
            case AUTHENTICATION -> size >= 4;
            case STREAM -> size == 16;
            case DELIVERY -> size == 4 && Delivery.of(buffer.getUnsignedByte(at + 2)) != null && buffer.getUnsignedShort(at) != 0;
            case CHAIN -> size > 0 && size <= (MAX_CHAIN + 1) * 2 && chainLength(buffer, at, size) > 0;
            case PREVIOUS_NODE -> size == 12;
            case HOPS -> size == 4;
            case QOS_SESSION, TIMESTAMP -> size == 8;
            case CONTENT_ENCODING -> size == 4 && ContentEncoding.of(buffer.getUnsignedByte(at)) != null;
            case ERROR -> size >= 4 && buffer.getUnsignedShort(at + 2) <= size - 4;
        };
        if (!good) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "option " + type + " of " + size
                    + " octets holds a value that it cannot have");
        }
    }

    private static boolean checkAddress(int scheme, int size) {
        return switch (scheme) {
            case Identifier.IPV4 -> size == 4;
            case Identifier.IPV6 -> size == 16;
            case Identifier.IEEE_802_3 -> size == 8;
            default -> true;
        };
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
        return length > MAX_CHAIN ? 0 : length;
    }

    static PacketOptions read(Packet packet) {
        PacketOptions options = new PacketOptions();
        ByteBuf buffer = packet.buffer();
        for (int at = packet.firstOption(); at >= 0; at = packet.nextOption(at)) {
            int value = at + Anep.WORD;
            int size = packet.optionSize(at) - Anep.WORD;
            OptionType type = OptionType.ofTag(packet.optionTag(at));
            if (type == null) {
                options.addUnknown(new Unknown(packet.optionTag(at), octets(buffer, value, size)));
            } else {
                read(type, buffer, value, size, options);
            }
        }
        return options;
    }

    private static void read(OptionType type, ByteBuf buffer, int at, int size, PacketOptions options) {
        switch (type) {
            case SOURCE -> options.source(identifier(buffer, at, size));
            case DESTINATION -> options.destination(identifier(buffer, at, size));
            case CHECKSUM -> options.checksum(true);
            case AUTHENTICATION -> options.authentication(identifier(buffer, at, size));
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
            case HOPS -> options.hops(buffer.getUnsignedByte(at));
            case QOS_SESSION -> options.qosSession(buffer.getLong(at));
            case TIMESTAMP -> options.timestamp(buffer.getLong(at));
            case CONTENT_ENCODING -> options.contentEncoding(ContentEncoding.of(buffer.getUnsignedByte(at)),
                    buffer.getUnsignedShort(at + 2));
            case ERROR -> options.error(new ErrorReport(ErrorCode.of(buffer.getUnsignedShort(at)),
                    buffer.toString(at + 4, buffer.getUnsignedShort(at + 2), StandardCharsets.UTF_8)));
        }
    }

    private static Identifier identifier(ByteBuf buffer, int at, int size) {
        int scheme = buffer.getInt(at);
        return new Identifier(scheme, octets(buffer, at + 4, scheme == Identifier.IEEE_802_3 ? 6 : size - 4));
    }

    private static byte[] octets(ByteBuf buffer, int at, int size) {
        byte[] octets = new byte[size];
        buffer.getBytes(at, octets);
        return octets;
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
            begin(OptionType.HOPS, 4, out).writeByte(options.hops()).writeZero(3);
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
        if (chain.length > MAX_CHAIN) {
            throw new IllegalArgumentException("a chain of " + chain.length + " services; at most " + MAX_CHAIN + " may follow the first");
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
        int length = Math.min(text.length, MAX_ERROR_TEXT);
        begin(OptionType.ERROR, 4 + length, out).writeShort(error.code().number()).writeShort(length).writeBytes(text, 0, length);
        pad(length, out);
    }

    /** Writes tag and length of an option whose value has {@code size} octets before the padding. */
    private static ByteBuf begin(OptionType type, int size, ByteBuf out) {
        return out.writeShort(type.tag()).writeShort((size + Anep.WORD - 1) / Anep.WORD + 1);
    }

    private static void pad(int size, ByteBuf out) {
        out.writeZero(-size & (Anep.WORD - 1));
    }
}
