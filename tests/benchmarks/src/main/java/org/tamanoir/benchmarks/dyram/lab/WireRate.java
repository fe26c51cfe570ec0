package org.tamanoir.benchmarks.dyram.lab;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A rate, as the command line and {@code tc} write it: {@code 800kbit}, {@code 50mbit}.
 *
 * @param bitsPerSecond of IP packets, headers included
 */
public record WireRate(long bitsPerSecond) implements ITypeConverter<WireRate> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,7})(kbit|mbit)");

    /** For the command line, which converts with {@link #convert}. */
    public WireRate() {
        this(0);
    }

    @Override
    public WireRate convert(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no rate: give a number with kbit or mbit");
        }
        return new WireRate(Long.parseLong(matcher.group(1)) * (matcher.group(2).equals("kbit") ? 1_000 : 1_000_000));
    }
}
