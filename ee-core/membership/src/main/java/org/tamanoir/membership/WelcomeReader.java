package org.tamanoir.membership;

import java.util.List;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.Welcome.Virtual;

/**
 * Reads what a front-end answers. What makes no sense is EE-909 with the field: whoever answered is no front-end that a back end understands. Fields
 * that are not known are ignored.
 */
public final class WelcomeReader {
    /** Milliseconds between two reports: more would be a load. */
    public static final long LEAST_PERIOD = 100;
    /** Milliseconds between two reports: with fewer reports a director would be slower than whoever runs it. */
    public static final long MOST_PERIOD = 60_000;
    /** Milliseconds of a lease. */
    public static final long MOST_LEASE = 10 * MOST_PERIOD;
    /** Virtual addresses in front of a pool. */
    public static final int MOST_SERVICES = 256;
    private static final Pattern WHY = Pattern.compile("[^\\p{C}\\p{Zl}\\p{Zp}]{1,1024}");

    private WelcomeReader() {
    }

    /**
     * Reads the answer to {@code PUT /members/NAME}.
     *
     * @throws AnepException EE-909
     */
    public static Welcome read(byte[] octets) {
        Fields all = Fields.parse(octets, ErrorCode.NO_FRONTEND);
        long period = all.whole("periodMillis", LEAST_PERIOD, MOST_PERIOD);
        List<Virtual> services = all.objects("services", MOST_SERVICES).stream()
                .map(each -> new Virtual(each.address("address", true), each.port("port"))).toList();
        return new Welcome(all.text("frontend", ReportReader.NAME, ReportReader.NAME_FORM), period, all.whole("leaseMillis", period + 1, MOST_LEASE),
                all.word("method", Method.class), services, all.word("standing", Standing.class),
                all.has("why") ? all.text("why", WHY, "a line of 1 to 1024 characters") : null, all.has("order") ? order(all.object("order")) : null);
    }

    private static Order order(Fields order) {
        return new Order(order.text("id", ReportReader.ID, ReportReader.ID_FORM), order.text("service", ReportReader.SERVICE, ReportReader.SERVICE_FORM),
                (int) order.whole("typeId", 0, ReportReader.MOST_TYPE_ID),
                order.has("version") ? order.text("version", ReportReader.VERSION, ReportReader.VERSION_FORM) : null,
                order.whole("drainMillis", 0, Order.MOST_DRAIN));
    }
}
