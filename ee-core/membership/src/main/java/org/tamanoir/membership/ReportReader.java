package org.tamanoir.membership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Report.State;

/**
 * Reads a report. It comes from another machine: every field is checked, and one that makes no sense is EE-901 with its name; the report is refused
 * whole. Its strings are safe in a path of a URL and in keepalived.conf(5). Fields that are not known are ignored.
 */
public final class ReportReader {
    /** Names of back ends and pools. At both ends a letter or digit, so that none is {@code ..} or looks like an option. */
    public static final Pattern NAME = Pattern.compile("[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?");
    /** Octets of a report. */
    public static final int MOST_OCTETS = Fields.MOST_OCTETS;
    /** Services of a back end. */
    public static final int MOST_SERVICES = 512;
    /** Streams that one machine can have open: more than its ports and its memory let it. */
    public static final long MOST_STREAMS = 1L << 30;
    /** Milliseconds that an event loop may be late and its node still report: an hour. */
    public static final double MOST_LAG = 3_600_000;
    /** Octets that can wait in one machine: a pebibyte. */
    public static final long MOST_QUEUE = 1L << 50;
    /** Where two clocks do not tick together a part of the CPU time is seen as more than the whole. As much more is read as the whole. */
    public static final double MOST_CPU = 1.5;
    /** {@link #NAME} in words. */
    public static final String NAME_FORM = "1 to 63 of a-z, 0-9, '-' and '.', with a letter or digit at both ends";
    /** Versions of services. */
    public static final Pattern VERSION = Pattern.compile("[0-9A-Za-z][0-9A-Za-z._-]{0,63}");
    static final String VERSION_FORM = "a version such as 1.0.0";
    static final Pattern ID = Pattern.compile("[0-9a-f]{16}");
    static final String ID_FORM = "16 hexadecimal digits in lower case";
    static final Pattern SERVICE = Pattern.compile(ServiceName.ANY);
    static final String SERVICE_FORM = ServiceName.FORM;
    static final int MOST_TYPE_ID = 0xFFFF;
    private static final Pattern LEVEL = Pattern.compile("light|middle|heavy");
    private static final Pattern TEXT = Pattern.compile("[^\\p{C}\\p{Zl}\\p{Zp}]{1," + Outcome.MOST_TEXT + "}");

    private ReportReader() {
    }

    /**
     * Reads the body of {@code PUT /members/NAME}.
     *
     * @param octets   UTF-8, at most {@link #MOST_OCTETS}
     * @param loopback whether a back end may be at an address of this machine alone: only where the director is on it, too
     * @return with its address as {@link Addresses#text} writes it and its services in the order of their names
     * @throws AnepException EE-901
     */
    public static Report read(byte[] octets, boolean loopback) {
        Fields all = Fields.parse(octets, ErrorCode.BAD_REPORT);
        String pool = all.has("pool") ? all.text("pool", NAME, NAME_FORM) : Report.DEFAULT_POOL;
        return new Report(all.text("name", NAME, NAME_FORM), all.text("instance", ID, ID_FORM),
                all.whole("sequence", 1, Long.MAX_VALUE), all.address("address", loopback), all.port("port"), all.port("health"), pool,
                all.word("state", State.class), services(all.objects("services", MOST_SERVICES)), load(all.object("load")),
                all.has("outcome") ? outcome(all.object("outcome")) : null);
    }

    private static Outcome outcome(Fields outcome) {
        return new Outcome(outcome.text("order", ID, ID_FORM), outcome.word("state", Outcome.State.class),
                outcome.has("version") ? outcome.text("version", VERSION, VERSION_FORM) : null, outcome.whole("streams", 0, MOST_STREAMS),
                outcome.has("text") ? outcome.text("text", TEXT, "a line of 1 to " + Outcome.MOST_TEXT + " characters") : null);
    }

    private static List<Service> services(List<Fields> entries) {
        List<Service> services = new ArrayList<>(entries.size());
        for (Fields entry : entries) {
            services.add(new Service(entry.text("name", SERVICE, SERVICE_FORM),
                    (int) entry.whole("typeId", 0, MOST_TYPE_ID), entry.text("version", VERSION, VERSION_FORM),
                    entry.text("level", LEVEL, "light, middle or heavy"), entry.word("affinity", Affinity.class)));
        }
        services.sort(Comparator.comparing(Service::name).thenComparing(Service::version));
        return List.copyOf(services);
    }

    private static Load load(Fields load) {
        return new Load(load.whole("streams", 0, MOST_STREAMS), load.number("lagMillis", MOST_LAG), load.whole("queuedOctets", 0, MOST_QUEUE),
                load.whole("queueMost", 1, MOST_QUEUE), Math.min(1, load.number("cpu", MOST_CPU)));
    }
}
