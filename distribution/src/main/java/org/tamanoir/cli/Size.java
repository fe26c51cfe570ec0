package org.tamanoir.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 65536}, {@code 64K}, {@code 64M}, {@code 1G}: octets, in powers of 1,024. */
public final class Size implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})([KMG]?)", Pattern.CASE_INSENSITIVE);

    @Override
    public Long convert(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("'" + text + "' is not a size such as 65536, 64K, 64M or 1G");
        }
        int shift = 10 * " KMG".indexOf(form.group(2).isEmpty() ? " " : form.group(2).toUpperCase(Locale.ROOT));
        return Long.parseLong(form.group(1)) << shift;
    }
}
