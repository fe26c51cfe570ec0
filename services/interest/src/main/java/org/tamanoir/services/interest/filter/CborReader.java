package org.tamanoir.services.interest.filter;

import com.google.protobuf.ByteString;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads CBOR (RFC 8949) as values of CEL: maps, lists, texts, octets, 64-bit integers, doubles, truth values, null. Tags are passed over. */
final class CborReader {
    private static final int UNSIGNED = 0;
    private static final int NEGATIVE = 1;
    private static final int OCTETS = 2;
    private static final int TEXT = 3;
    private static final int ARRAY = 4;
    private static final int MAP = 5;
    private static final int TAG = 6;
    private static final int INDEFINITE = 31;
    private static final int BREAK = 0xFF;
    private static final int MOST_DEPTH = 64;

    private final ByteBuffer in;

    private CborReader(ByteBuffer in) {
        this.in = in;
    }

    /** @throws IllegalArgumentException if it is no CBOR, or nested too deeply */
    static Object read(byte[] octets) {
        try {
            return new CborReader(ByteBuffer.wrap(octets)).value(MOST_DEPTH);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("CBOR that ends too early", e);
        }
    }

    private Object value(int depth) {
        int first = in.get() & 0xFF;
        int major = first >> 5;
        int info = first & 31;
        if (depth == 0) {
            throw new IllegalArgumentException("CBOR nested in more than " + MOST_DEPTH);
        }
        return switch (major) {
            case UNSIGNED -> number(argument(info), 0);
            case NEGATIVE -> number(argument(info), -1);
            case OCTETS -> CelByteString.of(string(major, info));
            case TEXT -> new String(string(major, info), StandardCharsets.UTF_8);
            case ARRAY -> array(info, depth);
            case MAP -> map(info, depth);
            case TAG -> {
                argument(info);
                yield value(depth - 1);
            }
            default -> simple(info);
        };
    }

    /** What does not fit into 64 bits with a sign becomes a double. */
    private static Object number(long argument, long sign) {
        if (argument >= 0) {
            return sign ^ argument;
        }
        double magnitude = (argument >>> 1) * 2.0 + (argument & 1);
        return sign == 0 ? magnitude : -1 - magnitude;
    }

    private long argument(int info) {
        return switch (info) {
            case 24 -> in.get() & 0xFF;
            case 25 -> in.getShort() & 0xFFFF;
            case 26 -> in.getInt() & 0xFFFFFFFFL;
            case 27 -> in.getLong();
            default -> {
                if (info > 27) {
                    throw new IllegalArgumentException("CBOR with a length that there is not");
                }
                yield info;
            }
        };
    }

    private int length(int info, int leastEach) {
        long length = argument(info);
        if (length < 0 || length * leastEach > in.remaining()) {
            throw new IllegalArgumentException("CBOR that promises more than it has");
        }
        return (int) length;
    }

    private byte[] string(int major, int info) {
        if (info != INDEFINITE) {
            byte[] octets = new byte[length(info, 1)];
            in.get(octets);
            return octets;
        }
        ByteString all = ByteString.EMPTY;
        for (int next = in.get() & 0xFF; next != BREAK; next = in.get() & 0xFF) {
            if (next >> 5 != major || (next & 31) == INDEFINITE) {
                throw new IllegalArgumentException("CBOR with a piece that does not fit");
            }
            all = all.concat(ByteString.copyFrom(string(major, next & 31)));
        }
        return all.toByteArray();
    }

    private boolean goesOn(int info, int done, int length) {
        if (info != INDEFINITE) {
            return done < length;
        }
        if ((in.get(in.position()) & 0xFF) == BREAK) {
            in.get();
            return false;
        }
        return true;
    }

    private Object array(int info, int depth) {
        int length = info == INDEFINITE ? 0 : length(info, 1);
        List<Object> list = new ArrayList<>();
        while (goesOn(info, list.size(), length)) {
            list.add(value(depth - 1));
        }
        return list;
    }

    private Object map(int info, int depth) {
        int length = info == INDEFINITE ? 0 : length(info, 2);
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; goesOn(info, i, length); i++) {
            Object key = value(depth - 1);
            map.put(key, value(depth - 1));
        }
        return map;
    }

    private Object simple(int info) {
        return switch (info) {
            case 20 -> false;
            case 21 -> true;
            case 25 -> half(in.getShort());
            case 26 -> (double) in.getFloat();
            case 27 -> in.getDouble();
            default -> NullValue.NULL_VALUE;
        };
    }

    /** RFC 8949, appendix D. */
    private static double half(short half) {
        int exponent = half >> 10 & 31;
        int mantissa = half & 1023;
        double value;
        if (exponent == 31) {
            value = mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        } else {
            value = exponent == 0 ? Math.scalb((double) mantissa, -24) : Math.scalb(mantissa + 1024.0, exponent - 25);
        }
        return half < 0 ? -value : value;
    }
}
