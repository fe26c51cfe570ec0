package org.tamanoir.services.transcode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What zfp(1) is told for an array that a stream brings, or for a packed one that is to be an array again. */
final class ArrayPacking {
    /** Octets of an array: zfp holds it, and what it makes of it, in memory. */
    static final long MOST_OCTETS = 1L << 30;
    private static final Pattern SHAPE = Pattern.compile("(i32|i64|f32|f64):(\\d{1,10}(?:x\\d{1,10}){0,3})");
    private static final Pattern MODE = Pattern.compile("(reversible)|(rate|precision):(\\d{1,2})|accuracy:([0-9.eE+-]{1,24})");
    private static final int MOST_BITS = 64;

    private ArrayPacking() {
    }

    /**
     * The arguments of zfp.
     *
     * @param array {@code f64:100x100x100}, the dimension that varies fastest first; or {@code restore}
     * @param mode  {@code reversible}, {@code rate:BITS}, {@code precision:BITS} or {@code accuracy:ERROR}
     * @throws AnepException EE-110
     */
    static List<String> arguments(String array, String mode) {
        if (array.equals("restore")) {
            return List.of("-q", "-h", "-z", "-", "-o", "-");
        }
        Matcher shape = SHAPE.matcher(array);
        if (!shape.matches()) {
            throw new AnepException(ErrorCode.BAD_PARAMETER, "array is '" + array + "'; it is TYPE:N or TYPE:NxN, up to four dimensions, with the type i32, i64, f32 or f64; or restore");
        }
        List<String> all = new ArrayList<>(List.of("-q", "-h", "-i", "-", "-z", "-", "-t", shape.group(1)));
        String[] dimensions = shape.group(2).split("x");
        long octets = shape.group(1).endsWith("64") ? Long.BYTES : Integer.BYTES;
        all.add("-" + dimensions.length);
        for (String dimension : dimensions) {
            long length = Long.parseLong(dimension);
            if (length < 1 || length > MOST_OCTETS || (octets *= length) > MOST_OCTETS) {
                throw new AnepException(ErrorCode.BAD_PARAMETER, "array is '" + array + "'; each dimension is 1 or more, and all of it at most " + MOST_OCTETS + " octets");
            }
            all.add(Long.toString(length));
        }
        all.addAll(mode(mode));
        return Collections.unmodifiableList(all);
    }

    private static List<String> mode(String text) {
        Matcher mode = MODE.matcher(text);
        if (mode.matches() && mode.group(1) != null) {
            return List.of("-R");
        }
        if (mode.matches() && mode.group(2) != null) {
            int bits = Integer.parseInt(mode.group(3));
            if (bits >= 1 && bits <= MOST_BITS) {
                return List.of(mode.group(2).equals("rate") ? "-r" : "-p", Integer.toString(bits));
            }
        } else if (mode.matches()) {
            double error = number(mode.group(4));
            if (error > 0 && !Double.isInfinite(error)) {
                return List.of("-a", Double.toString(error));
            }
        }
        throw new AnepException(ErrorCode.BAD_PARAMETER, "zfp is '" + text + "'; it is reversible, rate:BITS or precision:BITS with 1 to " + MOST_BITS + ", or accuracy:ERROR");
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
