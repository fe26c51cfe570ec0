package org.tamanoir.paths.verdict;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The fields of {@code struct tcp_info} (Linux, {@code include/uapi/linux/tcp.h}), in its order. What a kernel does not know yet stands behind what it knows:
 * 104 octets are there since 2.6, 280 in 6.18.
 */
public enum TcpField {
    /** 1 established, 2 SYN sent ... 8 close wait. */
    STATE(0, 1),
    /** 0 open, 1 disorder, 2 reduced window, 3 recovery, 4 loss. */
    CA_STATE(1, 1),
    RETRANSMITS(2, 1), PROBES(3, 1), BACKOFF(4, 1),
    /** Bits: 1 timestamps, 2 SACK, 4 window scale, 8 ECN, 16 ECN seen, 32 data in SYN. */
    OPTIONS(5, 1),
    /** Powers of two. */
    SND_WSCALE(6, 0), RCV_WSCALE(6, 0),
    /** 1 if the delivery rate is what the sender asked for, and not what the path carries. */
    DELIVERY_RATE_APP_LIMITED(7, 0), FASTOPEN_CLIENT_FAIL(7, 0),
    /** Microseconds. */
    RTO(8, 4), ATO(12, 4),
    /** Octets. */
    SND_MSS(16, 4), RCV_MSS(20, 4),
    /** Segments. */
    UNACKED(24, 4), SACKED(28, 4), LOST(32, 4), RETRANS(36, 4), FACKETS(40, 4),
    /** Milliseconds ago. */
    LAST_DATA_SENT(44, 4), LAST_ACK_SENT(48, 4), LAST_DATA_RECV(52, 4), LAST_ACK_RECV(56, 4),
    PMTU(60, 4), RCV_SSTHRESH(64, 4),
    /** Microseconds. */
    RTT(68, 4), RTTVAR(72, 4),
    /** Segments. */
    SND_SSTHRESH(76, 4), SND_CWND(80, 4),
    ADVMSS(84, 4), REORDERING(88, 4),
    /** Microseconds, as a receiver guesses it; octets of a round trip. */
    RCV_RTT(92, 4), RCV_SPACE(96, 4),
    /** Segments. */
    TOTAL_RETRANS(100, 4),
    /** Octets a second. */
    PACING_RATE(104, 8), MAX_PACING_RATE(112, 8),
    /** Octets. */
    BYTES_ACKED(120, 8), BYTES_RECEIVED(128, 8),
    SEGS_OUT(136, 4), SEGS_IN(140, 4),
    /** Octets that wait in the socket. */
    NOTSENT_BYTES(144, 4),
    /** Microseconds. */
    MIN_RTT(148, 4),
    DATA_SEGS_IN(152, 4), DATA_SEGS_OUT(156, 4),
    /** Octets a second. */
    DELIVERY_RATE(160, 8),
    /** Microseconds with data under way; of these, held up by the peer's window, and by the send buffer. */
    BUSY_TIME(168, 8), RWND_LIMITED(176, 8), SNDBUF_LIMITED(184, 8),
    DELIVERED(192, 4), DELIVERED_CE(196, 4),
    /** Octets. */
    BYTES_SENT(200, 8), BYTES_RETRANS(208, 8),
    DSACK_DUPS(216, 4), REORD_SEEN(220, 4),
    /** Segments that came before one that was to come first: lost on the way here, or overtaken. */
    RCV_OOOPACK(224, 4),
    /** Octets. */
    SND_WND(228, 4), RCV_WND(232, 4),
    REHASH(236, 4), TOTAL_RTO(240, 2), TOTAL_RTO_RECOVERIES(242, 2),
    /** Milliseconds. */
    TOTAL_RTO_TIME(244, 4),
    /** Accurate ECN: segments and octets. */
    RECEIVED_CE(248, 4), DELIVERED_E1_BYTES(252, 4), DELIVERED_E0_BYTES(256, 4), DELIVERED_CE_BYTES(260, 4), RECEIVED_E1_BYTES(264, 4), RECEIVED_E0_BYTES(268, 4),
    RECEIVED_CE_BYTES(272, 4), ACCECN_FAIL_MODE(276, 2), ACCECN_OPT_SEEN(278, 2);

    private static final Map<String, TcpField> NAMED = Arrays.stream(values()).collect(Collectors.toMap(TcpField::text, field -> field));

    private final int offset;
    private final int octets;

    TcpField(int offset, int octets) {
        this.offset = offset;
        this.octets = octets;
    }

    /** The field of a {@link #text}; null if there is none. */
    public static TcpField named(String text) {
        return NAMED.get(text);
    }

    int offset() {
        return offset;
    }

    /** 1, 2, 4 or 8; 0 for bits of an octet. */
    int octets() {
        return octets;
    }

    /** As the kernel has it, without {@code tcpi_}: {@code snd_cwnd}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
