package org.tamanoir.paths.verdict;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What the kernel says of a TCP connection: {@code struct tcp_info} as {@code getsockopt(TCP_INFO)} gives it. Where an older kernel gives less, the rest is not
 * known. DataGRID (section 4.2.3) had it from Web100; the names of RFC 4898 stand in the kernel's header.
 */
public final class TcpState {
    private static final TcpField[] FIELDS = TcpField.values();
    /** Octets of the shortest: those up to the scale of the windows. */
    public static final int LEAST_OCTETS = 8;
    /** Octets of the longest of which all fields are known here. */
    public static final int MOST_OCTETS = TcpField.ACCECN_OPT_SEEN.offset() + TcpField.ACCECN_OPT_SEEN.octets();

    private final long[] values;
    private final int length;

    private TcpState(long[] values, int length) {
        this.values = values;
        this.length = length;
    }

    /**
     * Reads the struct.
     *
     * @param octets as many as the kernel gave, {@value #LEAST_OCTETS} or more; what is behind the known ones is of a newer kernel and left alone
     * @param order  of the machine that it is from
     * @throws IllegalArgumentException if there are fewer
     */
    public static TcpState decode(byte[] octets, ByteOrder order) {
        if (octets.length < LEAST_OCTETS) {
            throw new IllegalArgumentException(octets.length + " octets are no tcp_info");
        }
        ByteBuffer buffer = ByteBuffer.wrap(octets).order(order);
        long[] values = new long[FIELDS.length];
        for (TcpField field : FIELDS) {
            if (has(octets.length, field)) {
                values[field.ordinal()] = read(buffer, field);
            }
        }
        return new TcpState(values, octets.length);
    }

    /**
     * One field of a struct, without decoding the others.
     *
     * @param octets the struct from 0 on, in the buffer's order, as far as the field at least
     */
    public static long read(ByteBuffer octets, TcpField field) {
        int at = field.offset();
        return switch (field.octets()) {
            case 0 -> bits(field, octets.get(at), octets.order() == ByteOrder.LITTLE_ENDIAN);
            case 1 -> octets.get(at) & 0xFF;
            case 2 -> octets.getShort(at) & 0xFFFF;
            case 4 -> octets.getInt(at) & 0xFFFF_FFFFL;
            default -> octets.getLong(at);
        };
    }

    /** Whether a struct of so many octets has a field. */
    public static boolean has(int octets, TcpField field) {
        return field.offset() + Math.max(1, field.octets()) <= octets;
    }

    /** Compilers put the first field of an octet where its order of octets begins. */
    private static long bits(TcpField field, int octet, boolean fromLow) {
        return switch (field) {
            case SND_WSCALE -> fromLow ? octet & 0xF : octet >> 4 & 0xF;
            case RCV_WSCALE -> fromLow ? octet >> 4 & 0xF : octet & 0xF;
            case DELIVERY_RATE_APP_LIMITED -> fromLow ? octet & 1 : octet >> 7 & 1;
            case FASTOPEN_CLIENT_FAIL -> fromLow ? octet >> 1 & 3 : octet >> 5 & 3;
            default -> throw new IllegalArgumentException(field.toString());
        };
    }

    /** Whether the kernel knows the field. */
    public boolean has(TcpField field) {
        return has(length, field);
    }

    /** The value, as an unsigned number; 0 if the kernel does not know it. */
    public long get(TcpField field) {
        return values[field.ordinal()];
    }

    /** What has been added since, 0 or more. A counter of 32 bits begins again from 0 after its end. */
    public long since(TcpState before, TcpField field) {
        long more = get(field) - before.get(field);
        return more >= 0 ? more : field.octets() == 4 ? more + (1L << 32) : 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TcpState state && length == state.length && Arrays.equals(values, state.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }
}
