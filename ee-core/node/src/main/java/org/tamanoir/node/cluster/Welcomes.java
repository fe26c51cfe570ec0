package org.tamanoir.node.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Method;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.Welcome.Virtual;
import org.tamanoir.node.cluster.virtual.VirtualAddress;

/** Reads what a front-end answers. Fields that are not known are those of a newer front-end; the known ones must make sense. */
final class Welcomes {
    static final long LEAST_PERIOD_MILLIS = 100;
    static final long MOST_PERIOD_MILLIS = 60_000;
    private static final long MOST_LEASE_MILLIS = 3_600_000;
    /** Addresses and ports of one back end. */
    private static final int MOST_SERVICES = 64;
    private static final int MOST_TEXT = 500;

    private Welcomes() {
    }

    /** @throws AnepException EE-909 that names the field */
    static Welcome read(JsonNode json) {
        long period = number(json, "periodMillis", LEAST_PERIOD_MILLIS, MOST_PERIOD_MILLIS);
        return new Welcome(text(json, "frontend"), period, number(json, "leaseMillis", period + 1, MOST_LEASE_MILLIS),
                word(json, "method", Method.class), services(json.path("services")), word(json, "standing", Standing.class),
                json.hasNonNull("why") ? text(json, "why") : null);
    }

    private static List<Virtual> services(JsonNode list) {
        if (!list.isArray() || list.size() > MOST_SERVICES) {
            throw bad("services is no list of at most " + MOST_SERVICES);
        }
        List<Virtual> services = new ArrayList<>();
        for (JsonNode each : list) {
            Virtual service = new Virtual(text(each, "address"), (int) number(each, "port", 1, 0xFFFF));
            address(service.address());
            services.add(service);
        }
        return services;
    }

    /** What the machine is set up for: nothing where addresses are translated. */
    static Set<VirtualAddress> wanted(Welcome welcome) {
        Set<VirtualAddress> wanted = new HashSet<>();
        if (welcome.method() != Method.NAT) {
            welcome.services().forEach(each -> wanted.add(new VirtualAddress(address(each.address()), each.port(), welcome.method())));
        }
        return wanted;
    }

    /** A literal one that hosts can have; never resolved. */
    private static InetAddress address(String text) {
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(text);
        try {
            InetAddress address = octets == null ? null : InetAddress.getByAddress(octets);
            if (address != null && !address.isAnyLocalAddress() && !address.isLoopbackAddress() && !address.isMulticastAddress()
                    && !address.isLinkLocalAddress()) {
                return address;
            }
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 octets", e);
        }
        throw bad("services: '" + text + "' is no address that several hosts can have");
    }

    private static long number(JsonNode json, String field, long least, long most) {
        JsonNode value = json.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < least || value.asLong() > most) {
            throw bad(field + " is " + shown(value) + "; it must be from " + least + " to " + most);
        }
        return value.asLong();
    }

    private static String text(JsonNode json, String field) {
        JsonNode value = json.path(field);
        if (!value.isTextual() || value.asText().length() > MOST_TEXT) {
            throw bad(field + " is " + shown(value) + "; it must be a text of at most " + MOST_TEXT);
        }
        return value.asText().replaceAll("\\p{Cntrl}", " ");
    }

    private static <E extends Enum<E>> E word(JsonNode json, String field, Class<E> type) {
        try {
            return Enum.valueOf(type, text(json, field).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.NO_FRONTEND, "its answer makes no sense: " + field + " is " + shown(json.path(field)), e);
        }
    }

    private static String shown(JsonNode value) {
        String text = value.isMissingNode() ? "missing" : value.toString();
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.NO_FRONTEND, "its answer makes no sense: " + what);
    }
}
