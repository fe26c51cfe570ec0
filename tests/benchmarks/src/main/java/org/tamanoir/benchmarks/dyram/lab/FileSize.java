package org.tamanoir.benchmarks.dyram.lab;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The size of a file, as the command line takes it: {@code 500000}, {@code 100kB}, {@code 20MB}, {@code 1GB}, in powers of ten.
 *
 * @param octets at least 1
 */
public record FileSize(long octets) implements ITypeConverter<FileSize> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,10})(kB|MB|GB)?");
    private static final Map<String, Long> UNITS = Map.of("kB", 1_000L, "MB", 1_000_000L, "GB", 1_000_000_000L);

    /** For the command line, which converts with {@link #convert}. */
    public FileSize() {
        this(1);
    }

    @Override
    public FileSize convert(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no size: give octets, or a number with kB, MB or GB");
        }
        return new FileSize(Long.parseLong(matcher.group(1)) * UNITS.getOrDefault(matcher.group(2) == null ? "" : matcher.group(2), 1L));
    }
}
