package org.tamanoir.cli;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.MapConfiguration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 250ms}, {@code 10s}, {@code 5m}, {@code 1h}. */
final class Time implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return MapConfiguration.parseDuration("the time", text);
        } catch (AnepException e) {
            throw new TypeConversionException(e.text());
        }
    }
}
