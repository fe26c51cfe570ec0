package org.tamanoir.paths.series;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Values of one connection over time, in columns. A column is coded by what each value differs from the one before, or by what that difference differs from the one
 * before it, whichever is shorter: counters grow evenly, windows jump. Differences are varints, zigzag first, so that small ones take one octet (as in Protocol
 * Buffers).
 *
 * <pre>
 * version 1 | samples | columns | { coding | octets of the name | name | values }…      numbers are varints; the first column has no name: the times
 * </pre>
 *
 * @param begins  milliseconds of the epoch
 * @param times   of each sample, milliseconds since then
 * @param columns by name, as many values as there are times
 */
public record Series(long begins, long[] times, Map<String, long[]> columns) {
    public static final int MOST_SAMPLES = 1200;
    public static final int MOST_COLUMNS = 32;
    /** Of its code. */
    public static final int MOST_OCTETS = 48_000;
    private static final int VERSION = 1;
    private static final int CONSTANT = 0;
    private static final int DIFFERENCES = 1;
    private static final int SECOND_DIFFERENCES = 2;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,31}");
    private static final int GROUP = 7;
    private static final int MORE = 0x80;
    private static final int MOST_GROUPS = 10;

    /** @throws IllegalArgumentException if the columns are not as long as the times, or have no names, or there are too many */
    public Series {
        columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
        long[] all = times;
        if (times.length == 0 || times.length > MOST_SAMPLES || columns.size() > MOST_COLUMNS
                || columns.entrySet().stream().anyMatch(each -> !NAME.matcher(each.getKey()).matches() || each.getValue().length != all.length)) {
            throw new IllegalArgumentException(times.length + " times with columns " + columns.keySet());
        }
    }

    /** The code; it may have more octets than {@link #MOST_OCTETS} if values jump wildly. */
    public byte[] encode() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(VERSION);
        put(out, times.length);
        put(out, columns.size());
        putZigzag(out, begins);
        put(out, times);
        columns.forEach((name, values) -> {
            put(out, name.length());
            out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            put(out, values);
        });
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, long[] values) {
        if (Arrays.stream(values).allMatch(value -> value == values[0])) {
            out.write(CONSTANT);
            putZigzag(out, values[0]);
            return;
        }
        byte[] first = coded(values, false);
        byte[] second = coded(values, true);
        out.write(second.length < first.length ? SECOND_DIFFERENCES : DIFFERENCES);
        out.writeBytes(second.length < first.length ? second : first);
    }

    private static byte[] coded(long[] values, boolean second) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long last = 0;
        long slope = 0;
        for (long value : values) {
            long difference = value - last;
            putZigzag(out, difference - slope);
            slope = second ? difference : 0;
            last = value;
        }
        return out.toByteArray();
    }

    private static void putZigzag(ByteArrayOutputStream out, long value) {
        put(out, value << 1 ^ value >> Long.SIZE - 1);
    }

    private static void put(ByteArrayOutputStream out, long value) {
        long rest = value;
        while ((rest & -MORE) != 0) {
            out.write((int) rest & 0x7F | MORE);
            rest >>>= GROUP;
        }
        out.write((int) rest);
    }

    /** @throws AnepException EE-781 if it is no code of a series */
    public static Series decode(byte[] code) {
        if (code.length > MOST_OCTETS) {
            throw bad("it has " + code.length + " octets, more than " + MOST_OCTETS);
        }
        return new Reader(code).series();
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_SAMPLE, "series: " + what);
    }

    /** Reads a code, which may be anything. */
    private static final class Reader {
        private final byte[] code;
        private int at;

        Reader(byte[] code) {
            this.code = code;
        }

        Series series() {
            int version = octet();
            if (version != VERSION) {
                throw bad("it is of version " + version + ", and " + VERSION + " is known");
            }
            int samples = count("samples", 1, MOST_SAMPLES);
            int columns = count("columns", 0, MOST_COLUMNS);
            long begins = zigzag();
            long[] times = values(samples);
            Map<String, long[]> all = new LinkedHashMap<>();
            for (int i = 0; i < columns; i++) {
                String name = name();
                if (all.put(name, values(samples)) != null) {
                    throw bad("column " + name + " stands twice");
                }
            }
            if (at != code.length) {
                throw bad("something stands behind its end");
            }
            return new Series(begins, times, all);
        }

        private int octet() {
            if (at >= code.length) {
                throw bad("it ends too early");
            }
            return code[at++] & 0xFF;
        }

        private long varint() {
            long value = 0;
            for (int group = 0; group < MOST_GROUPS; group++) {
                int octet = octet();
                value |= (long) (octet & 0x7F) << group * GROUP;
                if (octet < MORE) {
                    return value;
                }
            }
            throw bad("a number has more than 64 bits");
        }

        private long zigzag() {
            long value = varint();
            return value >>> 1 ^ -(value & 1);
        }

        private int count(String what, int least, int most) {
            long count = varint();
            if (count < least || count > most) {
                throw bad("there are " + Long.toUnsignedString(count) + " " + what + ", not " + least + " to " + most);
            }
            return (int) count;
        }

        private String name() {
            int length = count("octets of a name", 1, 32);
            if (length > code.length - at) {
                throw bad("it ends too early");
            }
            String name = new String(code, at, length, StandardCharsets.ISO_8859_1);
            at += length;
            if (!NAME.matcher(name).matches()) {
                throw bad("a column has no name of small letters, digits and _");
            }
            return name;
        }

        private long[] values(int samples) {
            int coding = octet();
            long[] values = new long[samples];
            if (coding == CONSTANT) {
                Arrays.fill(values, zigzag());
                return values;
            }
            if (coding != DIFFERENCES && coding != SECOND_DIFFERENCES) {
                throw bad("a column has the coding " + coding);
            }
            long last = 0;
            long slope = 0;
            for (int i = 0; i < samples; i++) {
                long difference = zigzag() + slope;
                last += difference;
                slope = coding == SECOND_DIFFERENCES ? difference : 0;
                values[i] = last;
            }
            return values;
        }
    }
}
