package org.tamanoir.tests;

import java.util.HexFormat;
import java.util.List;
import org.tamanoir.anep.ErrorCode;

/** Packets that are none, each with the code that says why; {@code docs/anep.md} has the table. */
enum Malformed {
    VERSION_2(ErrorCode.BAD_VERSION, "0280 5401 0002 0008"),
    NO_HEADER(ErrorCode.HEADER_TOO_SHORT, "0180 5401 0000 0008"),
    HALF_A_HEADER(ErrorCode.HEADER_TOO_SHORT, "0180 5401 0001 0008"),
    HEADER_PAST_THE_PACKET(ErrorCode.HEADER_PAST_PACKET, "0180 5401 0003 0008"),
    OPTION_OF_LENGTH_0(ErrorCode.BAD_OPTION_LENGTH, "0180 5401 0004 0010 0001 0000 0000 0000"),
    OPTION_PAST_THE_HEADER(ErrorCode.BAD_OPTION_LENGTH, "0180 5401 0004 0010 0001 0003 0000 0000"),
    BAD_CHECKSUM(ErrorCode.BAD_CHECKSUM, "0180 5401 0004 0010 0003 0002 1234 0000"),
    UNKNOWN_PUBLIC_OPTION(ErrorCode.UNKNOWN_OPTION, "0180 5401 0003 000C 4123 0001"),
    UNKNOWN_PRIVATE_OPTION(ErrorCode.UNKNOWN_OPTION, "0180 5401 0003 000C C123 0001"),
    HOPS_OF_THREE_WORDS(ErrorCode.BAD_OPTION_VALUE, "0180 5401 0005 0014 8005 0003 0000 0000 0000 0000"),
    HOPS_TWICE(ErrorCode.BAD_OPTION_VALUE, "0180 5401 0006 0018 8005 0002 0500 0000 8005 0002 0500 0000");

    /** Those whose header alone is wrong already. */
    static final List<Malformed> HEADERS = List.of(VERSION_2, NO_HEADER, HALF_A_HEADER, HEADER_PAST_THE_PACKET);

    final ErrorCode code;
    private final String hex;

    Malformed(ErrorCode code, String hex) {
        this.code = code;
        this.hex = hex;
    }

    byte[] octets() {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
