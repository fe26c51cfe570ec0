package org.tamanoir.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bits a second: a number with {@code k}, {@code M} or {@code G} behind it or nothing; {@code 0} for no limit. */
final class BitRate implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        String number = text;
        double unit = 1;
        int at = text.isEmpty() ? -1 : "kMG".indexOf(text.charAt(text.length() - 1));
        if (at >= 0) {
            unit = Math.pow(1000, at + 1);
            number = text.substring(0, text.length() - 1);
        }
        try {
            double bits = Double.parseDouble(number) * unit;
            if (bits == 0 || bits >= 1 && bits <= 1e12) {
                return (long) bits;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new TypeConversionException("'" + text + "' is no rate from 1 to 1000G bits a second, as 500k, 100M or 2.5G; 0 for no limit");
    }
}
