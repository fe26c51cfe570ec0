package org.tamanoir.services.cache;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.lease.Leases;
import org.tamanoir.service.lease.Leases.Lease;

/**
 * Has some URLs fetched before anybody asks, again and again. Of nodes that name the same group one does it: whoever holds the group, by the service {@code election}. Among the
 * tasks of the service.
 */
final class RegularWarming {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ServiceContext service;
    private final BiConsumer<String, String> warming;
    private final List<String> urls;
    private final Duration every;
    private final String group;
    private final Partner<Leases> leases;
    private long due;
    /** What was said of the group last, so that it is said once. */
    private String said = "";

    private RegularWarming(ServiceContext service, Configuration options, BiConsumer<String, String> warming) {
        this.service = service;
        this.warming = warming;
        this.urls = Arrays.stream(options.text("warm", "").split("[,\\s]+")).filter(each -> !each.isEmpty()).toList();
        this.every = options.duration("warm-every", Duration.ofHours(1));
        this.group = options.text("warm-group", "");
        for (String url : urls) {
            if (!url.startsWith("http://") || every.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "cache: warm is URLs, http://HOST/PATH or http://HOST/PATH@ADDRESS:PORT, and warm-every is 1s or more");
            }
        }
        this.leases = group.isEmpty() || urls.isEmpty() ? null : service.partner(Leases.TYPE_ID, Leases.class);
        this.due = service.nanoTime();
    }

    /**
     * Begins, if the options name any URL.
     *
     * @param warming has one fetched; told the address of its origin, or null if the URL has it
     */
    static void start(ServiceContext service, BiConsumer<String, String> warming) {
        RegularWarming regular = new RegularWarming(service, service.configuration(), warming);
        if (!regular.urls.isEmpty()) {
            service.later(Duration.ZERO, regular::tick);
        }
    }

    private void tick() {
        // The next time comes first: what is warmed now may take the last task that the service may have.
        if (leases == null) {
            service.later(every, this::tick);
            warmIfDue();
            return;
        }
        Leases partner = leases.get();
        if (partner == null) {
            service.later(PAUSE, this::tick);
            return;
        }
        Duration lease = partner.longest().compareTo(LEASE) < 0 ? partner.longest() : LEASE;
        service.later(lease.dividedBy(3), this::tick);
        partner.want(group, lease, (granted, why) -> service.later(Duration.ZERO, () -> told(granted, why)));
    }

    private void told(Lease lease, AnepException why) {
        if (lease != null && lease.isOwn() && lease.untilNanos() - service.nanoTime() > 0) {
            say("this node warms for the group " + group);
            warmIfDue();
        } else {
            say(lease != null ? lease.holder() + " warms for the group " + group : "nobody warms for the group " + group + ": " + why.getMessage());
        }
    }

    private void say(String what) {
        if (!what.equals(said)) {
            said = what;
            service.logger().info("{}", what);
        }
    }

    private void warmIfDue() {
        long now = service.nanoTime();
        if (now - due < 0) {
            return;
        }
        due = now + every.toNanos();
        for (String url : urls) {
            int at = url.lastIndexOf('@');
            boolean hasOrigin = at > 0 && MapConfiguration.address(url.substring(at + 1)) != null;
            try {
                warming.accept(hasOrigin ? url.substring(0, at) : url, hasOrigin ? url.substring(at + 1) : null);
            } catch (AnepException e) {
                service.logger().warn("{} is not warm: {}", url, e.getMessage());
            }
        }
    }
}
