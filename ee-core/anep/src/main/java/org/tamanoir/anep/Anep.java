package org.tamanoir.anep;

import java.util.HexFormat;

/** Constants of the wire format. Sizes are in octets unless a name says words; a word is 32 bits. */
public final class Anep {
    /** The only version there is. */
    public static final int VERSION = 1;
    /** The fixed part of a header. */
    public static final int HEADER_SIZE = 8;
    /** The fixed part of a header in words: the least that the header-length field can hold. */
    public static final int HEADER_WORDS = 2;
    /** Octets in a word. */
    public static final int WORD = 4;
    /** The largest packet: its length is a 16-bit field. */
    public static final int MAX_PACKET = 0xFFFF;
    /** The largest payload: a packet without options. */
    public static final int MAX_PAYLOAD = MAX_PACKET - HEADER_SIZE;
    /** Services that may follow the first one in a chain; a longer chain is a mistake. */
    public static final int MAX_CHAIN = 15;
    /** Octets of UTF-8 in the text of an error: with every other option it still fits an Ethernet frame. */
    public static final int MAX_ERROR_TEXT = 1024;
    /** Flag: a node that does not know the Type ID discards the packet. Without it the packet is forwarded as it is. */
    public static final int FLAG_DISCARD_UNKNOWN = 0x80;
    /** Type ID of error packets. */
    public static final int TYPE_ERROR = 0;
    /** Type ID of the control service; the bundled services count up from the next one. */
    public static final int TYPE_CONTROL = 0x5400;
    /** Registered port active-net: ANEP data over TCP and UDP. */
    public static final int PORT_DATA = 3322;
    /** Light TCP streams that are forwarded in the kernel. */
    public static final int PORT_LIGHT = 3323;
    /** A node's code server. */
    public static final int PORT_CODE = 3324;
    /** The service repository. */
    public static final int PORT_REPOSITORY = 3325;
    /** The front-end of a cluster, HTTP. */
    public static final int PORT_FRONTEND = 3327;
    /** A node's admin API, on localhost unless told otherwise. */
    public static final int PORT_ADMIN = 3380;
    /** Hops a packet may take where its sender set no limit. */
    public static final int DEFAULT_HOPS = 16;

    private Anep() {
    }

    /** The Type ID as it is printed everywhere: {@code 0x5402}. */
    public static String typeName(int typeId) {
        return "0x" + HexFormat.of().withUpperCase().toHexDigits((char) typeId);
    }

    /** The version in the first eight octets of a header read as one big-endian number. */
    static int version(long header) {
        return (int) (header >>> 56);
    }

    static int flags(long header) {
        return (int) (header >>> 48) & 0xFF;
    }

    static int typeId(long header) {
        return (int) (header >>> 32) & 0xFFFF;
    }

    static int headerWords(long header) {
        return (int) (header >>> 16) & 0xFFFF;
    }

    /** All but the length: equal for packets of one kind. */
    static long kind(long header) {
        return header >>> 16;
    }

    static int packetLength(long header) {
        return (int) header & 0xFFFF;
    }
}
