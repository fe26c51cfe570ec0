package org.tamanoir.anep;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which trace a stream belongs to, and which span of it is the parent of what comes next: W3C Trace Context, section 3.2, as text
 * {@code 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01}. Version 0; a later one is read as far as version 0 goes.
 *
 * @param traceHigh first 64 bits of the id of the trace, which is not 0
 * @param traceLow  last 64 bits of it
 * @param parent    the id of the span before; not 0
 * @param flags     8 bits; {@link #SAMPLED} is known, the others are carried
 */
public record TraceContext(long traceHigh, long traceLow, long parent, int flags) {
    /** Whoever sends it records the trace. */
    public static final int SAMPLED = 0x01;
    /** The version that no context has. */
    static final int NO_VERSION = 0xFF;

    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final HexFormat HEX = HexFormat.of();

    /** @throws IllegalArgumentException if an id is 0, or the flags have more than 8 bits */
    public TraceContext {
        if (!isContext(traceHigh, traceLow, parent)) {
            throw new IllegalArgumentException("the id of a trace, or that of a span, is 0");
        }
        if (flags < 0 || flags > 0xFF) {
            throw new IllegalArgumentException("flags " + flags + "; 8 bits fit");
        }
    }

    /** Whether these ids can be those of a context: of 0 nobody makes a span. */
    static boolean isContext(long traceHigh, long traceLow, long parent) {
        return (traceHigh | traceLow) != 0 && parent != 0;
    }

    /**
     * Reads the text form, that of the HTTP field {@code traceparent}.
     *
     * @throws IllegalArgumentException if it is no context
     */
    public static TraceContext of(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || matcher.group(1).equals("ff") || matcher.group(1).equals("00") && matcher.group(5) != null) {
            throw new IllegalArgumentException("'" + text + "' is not 00-TRACE-PARENT-FLAGS with 32, 16 and 2 hexadecimal digits in lower case");
        }
        String trace = matcher.group(2);
        return new TraceContext(HexFormat.fromHexDigitsToLong(trace, 0, 16), HexFormat.fromHexDigitsToLong(trace, 16, 32),
                HexFormat.fromHexDigitsToLong(matcher.group(3)), HexFormat.fromHexDigits(matcher.group(4)));
    }

    public boolean isSampled() {
        return (flags & SAMPLED) != 0;
    }

    /** The id of the trace, 32 digits. */
    public String traceId() {
        return HEX.toHexDigits(traceHigh) + HEX.toHexDigits(traceLow);
    }

    /** The id of the span before, 16 digits. */
    public String parentId() {
        return HEX.toHexDigits(parent);
    }

    /** As in the HTTP field {@code traceparent}. */
    @Override
    public String toString() {
        return "00-" + traceId() + "-" + parentId() + "-" + HEX.toHexDigits((byte) flags);
    }
}
