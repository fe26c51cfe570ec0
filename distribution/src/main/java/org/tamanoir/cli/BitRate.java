package org.tamanoir.cli;

import org.tamanoir.settings.Settings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bits a second: a number with {@code k}, {@code M} or {@code G} behind it or nothing; {@code 0} for no limit. */
final class BitRate implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        try {
            return text.equals("0") ? 0 : Settings.bitRate(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage() + "; 0 for no limit");
        }
    }
}
