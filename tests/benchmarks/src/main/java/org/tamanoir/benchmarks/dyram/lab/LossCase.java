package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.lab.MulticastTestbed;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where packets are lost in a run, and how many.
 *
 * @param where   on which links
 * @param percent of the packets that arrive there, 0 to 50
 */
public record LossCase(Where where, int percent) implements ITypeConverter<LossCase> {
    /** Links that lose. */
    public enum Where { NOWHERE, EACH_RECEIVER, EACH_SITE }

    public static final LossCase NONE = new LossCase(Where.NOWHERE, 0);
    public static final List<LossCase> DEFAULTS = List.of(NONE, each(1), each(5), each(25), site(5), site(25));
    private static final int MOST = 50;
    private static final Pattern TEXT = Pattern.compile("(ind|site)(\\d{1,2})");

    /** For the command line, which converts with {@link #convert}. */
    public LossCase() {
        this(Where.NOWHERE, 0);
    }

    static LossCase each(int percent) {
        return new LossCase(Where.EACH_RECEIVER, percent);
    }

    static LossCase site(int percent) {
        return new LossCase(Where.EACH_SITE, percent);
    }

    @Override
    public LossCase convert(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (text.equals("none")) {
            return NONE;
        }
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MOST) {
            throw new TypeConversionException("'" + text + "' is none of none, ind0 to ind50 and site0 to site50");
        }
        int part = Integer.parseInt(matcher.group(2));
        return matcher.group(1).equals("ind") ? each(part) : site(part);
    }

    /** Makes the network lose so, and nothing elsewhere. */
    void apply(MulticastTestbed testbed) {
        testbed.independent(where == Where.EACH_RECEIVER ? percent / 100.0 : 0);
        testbed.site(where == Where.EACH_SITE ? percent / 100.0 : 0);
    }

    /** As the command line writes it: {@code ind25}. */
    @Override
    public String toString() {
        return switch (where) {
            case NOWHERE -> "none";
            case EACH_RECEIVER -> "ind" + percent;
            case EACH_SITE -> "site" + percent;
        };
    }
}
