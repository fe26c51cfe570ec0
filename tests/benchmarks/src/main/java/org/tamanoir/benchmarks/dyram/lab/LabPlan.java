package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.lab.MulticastTestbed;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * What {@code bench dyram --lab} is to run.
 *
 * @param systems   which to compare
 * @param losses    with which losses
 * @param runs      how often everything is measured, with cold processes and with warm ones each
 * @param warmUps   transmissions of every system in every case before warm ones are measured
 * @param octets    size of the file
 * @param bits      a second that the sender may put on its link, headers of IP included
 * @param sites     how many
 * @param receivers at each site
 * @param limit     seconds after which a run counts as not complete
 */
public record LabPlan(List<Kind> systems, List<Loss> losses, int runs, int warmUps, long octets, long bits, int sites, int receivers, int limit) {
    /** More receivers than that cannot have a JVM each. */
    public static final int MOST_PROCESSES = 12;
    /** What the delay box was seen to carry without a drop, with room. */
    private static final long MOST_BITS = 300_000_000;
    private static final long USUAL_OCTETS = 20_000_000;
    private static final long USUAL_BITS = 50_000_000;

    public enum Kind {
        /** Nodes on core and site routers, and a command for each receiver. */
        TAMANOIR,
        /** The same nodes, and one process for all receivers of a site. */
        TAMANOIR_SITE,
        /** NORM, RFC 5740: libnorm of Debian, repairs by forward error correction. */
        NORM,
        /** UFTP of Debian: repairs of single packets, in rounds. */
        UFTP;

        boolean isOwn() {
            return this == TAMANOIR || this == TAMANOIR_SITE;
        }

        /** As options and results name it: {@code tamanoir-site}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Where packets are lost in a run, and how many.
     *
     * @param where   {@code none}; {@code ind}: on the link of each receiver; {@code site}: at the entry of each site
     * @param percent of the packets that arrive there, 0 to 50
     */
    public record Loss(String where, int percent) implements ITypeConverter<Loss> {
        public static final Loss NONE = new Loss("none", 0);
        public static final List<Loss> DEFAULTS = List.of(NONE, each(1), each(5), each(25), site(5), site(25));
        private static final Pattern TEXT = Pattern.compile("(ind|site)(\\d{1,2})");

        /** For the command line, which converts with {@link #convert}. */
        public Loss() {
            this("none", 0);
        }

        static Loss each(int percent) {
            return new Loss("ind", percent);
        }

        static Loss site(int percent) {
            return new Loss("site", percent);
        }

        @Override
        public Loss convert(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (text.equals("none")) {
                return NONE;
            }
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > 50) {
                throw new TypeConversionException("'" + text + "' is none of none, ind0 to ind50 and site0 to site50");
            }
            return new Loss(matcher.group(1), Integer.parseInt(matcher.group(2)));
        }

        /** Makes the network lose so, and nothing elsewhere. */
        void apply(MulticastTestbed testbed) {
            testbed.independent(where.equals("ind") ? percent / 100.0 : 0);
            testbed.site(where.equals("site") ? percent / 100.0 : 0);
        }

        /** As the command line writes it: {@code ind25}. */
        @Override
        public String toString() {
            return equals(NONE) ? where : where + percent;
        }
    }

    /**
     * What a system meets in a run.
     *
     * @param cold whether every process, nodes included, is started for this run; otherwise those that stay have carried files before
     */
    record Case(Loss loss, boolean cold) {
        /** As results name it: {@code ind25}, {@code ind25-cold}. */
        @Override
        public String toString() {
            return loss + (cold ? "-cold" : "");
        }
    }

    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        require(!systems.isEmpty() && !losses.isEmpty(), "at least one system and one case");
        require(runs >= 1, "at least one run");
        require(warmUps >= 0, "no run less than none to warm up");
        require(octets >= 1_000 && octets <= 1_000_000_000, "files of 1 kB to 1 GB");
        require(bits >= 1_000_000 && bits <= MOST_BITS, "rates of 1 to 300 Mbit/s");
        require(sites >= 1 && sites <= MulticastTestbed.MAX_SITES, "1 to " + MulticastTestbed.MAX_SITES + " sites");
        require(receivers >= 1 && receivers <= MulticastTestbed.MAX_RECEIVERS, "1 to " + MulticastTestbed.MAX_RECEIVERS + " receivers a site");
        require(!systems.contains(Kind.TAMANOIR) || expected() <= MOST_PROCESSES, "up to " + MOST_PROCESSES
                + " receivers with a JVM each: for more take " + Kind.TAMANOIR_SITE);
        require(limit >= 1, "a limit of at least a second");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("the bench takes " + what);
        }
    }

    /** Whether times can be held against the targets, which are for 20 MB at 50 Mbit/s. */
    boolean isUsual() {
        return octets == USUAL_OCTETS && bits == USUAL_BITS;
    }

    int expected() {
        return sites * receivers;
    }

    /** What is measured, cold first. */
    List<Case> measured() {
        return Stream.of(true, false).flatMap(cold -> losses.stream().map(loss -> new Case(loss, cold))).toList();
    }

    int count() {
        return (2 * runs + warmUps) * losses.size() * systems.size();
    }
}
