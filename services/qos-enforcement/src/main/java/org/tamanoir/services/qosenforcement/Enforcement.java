package org.tamanoir.services.qosenforcement;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Treatment;

/** Allocates the capacity of classes and keeps flows to their shares (active grid paper, section 4.1). Type ID 0x5409. */
@Component(service = ActiveService.class)
public final class Enforcement implements ActiveService, QosEnforcement, Inspected {
    /** Classes that have metrics of their own, 9 each: a service may have 100. */
    private static final int METERED_CLASSES = 10;
    private static final int MOST_SHOWN = 1000;

    private final Set<String> metered = new HashSet<>();
    private Shares shares;
    private Metrics metrics;

    @Override
    public void start(ServiceContext service) {
        metrics = service.metrics();
        shares = new Shares(EnforcementSettings.of(service.configuration()), service::nanoTime, this::register);
        metrics.gauge("sessions", "Sessions that have a share of a class.", () -> shares.sessions().size());
        metrics.counter("refused", "Allocations for which no room was left.", shares::refused);
    }

    /** Called under the lock of the shares. */
    private void register(ClassShare share) {
        String prefix = share.name().toLowerCase(Locale.ROOT).replace('-', '_');
        if (metered.size() < METERED_CLASSES && prefix.matches("[a-z][a-z0-9]*(_[a-z0-9]+)*") && metered.add(prefix)) {
            share.counters().register(metrics, prefix + '_', share);
        }
    }

    @Override
    public boolean allocate(long session, QosClass qosClass, long rate) {
        return shares.allocate(session, qosClass, rate);
    }

    @Override
    public void release(long session) {
        shares.release(session);
    }

    @Override
    public Map<String, Long> allocated() {
        Map<String, Long> allocated = new TreeMap<>();
        shares.classes().forEach((name, share) -> allocated.put(name, share.allocated()));
        return allocated;
    }

    @Override
    public List<Action> rule(Order order) {
        return Rules.of(order, shares.settings());
    }

    @Override
    public Conditioner conditioner(Order order) {
        return new FlowConditioner(shares, order);
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals("allocations")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "qos-enforcement shows allocations, not '" + what + "'");
        }
        String session = parameters.get("session");
        return session == null ? overview() : Map.of("sessions", Map.of(session, shown(found(session))));
    }

    private SessionShare found(String text) {
        long session;
        try {
            session = Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no session code: 1 to 16 hexadecimal digits");
        }
        SessionShare share = shares.find(session);
        if (share == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "session " + text + " has no share of a class");
        }
        return share;
    }

    private Map<String, Object> overview() {
        Map<String, Object> classes = new LinkedHashMap<>();
        shares.classes().forEach((name, share) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("capacity", share.capacity());
            one.put("allocated", share.allocated());
            one.putAll(share.counters().report());
            classes.put(name, one);
        });
        Map<String, Object> sessions = new TreeMap<>();
        shares.sessions().entrySet().stream().limit(MOST_SHOWN)
                .forEach(each -> sessions.put(String.format("%016x", each.getKey()), shown(each.getValue())));
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("classes", classes);
        answer.put("sessions", sessions);
        answer.put("count", shares.sessions().size());
        return answer;
    }

    private static Map<String, Object> shown(SessionShare share) {
        ClassShare granted = share.granted();
        return Map.of("class", granted == null ? "" : granted.name(), "rate", share.rate());
    }

    /** It is asked by services, not by packets. */
    @Override
    public StreamHandler open(StreamContext stream) {
        throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "qos-enforcement works for qosinus and takes no streams");
    }

    /** Says as actions of a rule what {@link FlowConditioner} does, where a rule can: then a packet leaves both the same. */
    static final class Rules {
        /** IPv4 (20), UDP (8) and ANEP (8) headers: no packet is smaller, so counting smaller ones as that changes nothing. */
        static final int SMALLEST = 36;

        private Rules() {
        }

        static List<Action> of(Order order, EnforcementSettings settings) {
            QosClass own = order.qosClass();
            if (order.transport() == Transport.TCP) {
                return List.of();
            }
            if (!own.isProvisioned()) {
                return List.of(Action.count(), Action.dscp(own.green()));
            }
            Profile profile = Profile.of(order, settings);
            PermittedClasses exits = PermittedClasses.of(order);
            boolean bounded = exits.remark() != null && exits.remark().isProvisioned();
            if (profile.rate() == 0 || exits.isShaped() || bounded || profile.least() > SMALLEST) {
                return List.of();
            }
            Treatment over = exits.drops() ? Treatment.DROP
                    : Treatment.mark((exits.remark() == null ? exits.bestEffort() : exits.remark()).green());
            Meter meter = profile.meter(profile.rate());
            return List.of(Action.count(), profile.hasPeak()
                    ? Action.police(meter, Treatment.mark(own.green()), over, Treatment.DROP)
                    : Action.police(meter, Treatment.mark(own.green()), Treatment.mark(own.yellow()), over));
        }
    }

    /**
     * The options of the service.
     *
     * @param sessions    that may have a share at the same time
     * @param burst       the bucket of a flow that has not said its own, as a time at its rate
     * @param peakBurst   what may pass at once over a peak rate, as a time at that rate, besides the largest packet: timers are not exact
     * @param spareBurst  the bucket of what is not allocated in a class, as a time at the capacity of the class
     * @param excessBurst the second bucket in a class with drop precedence (RFC 2697), per cent of the first
     */
    record EnforcementSettings(int sessions, Duration burst, Duration peakBurst, Duration spareBurst, int excessBurst) {
        private static final Duration LONGEST = Duration.ofSeconds(10);

        /** @throws AnepException EE-501 */
        static EnforcementSettings of(Configuration options) {
            return new EnforcementSettings(options.integer("sessions", 262_144, 1, 10_000_000), time(options, "burst", Duration.ofMillis(20)),
                    time(options, "peak-burst", Duration.ofMillis(2)), time(options, "spare-burst", Duration.ofMillis(20)),
                    options.integer("excess-burst", 100, 0, 1000));
        }

        private static Duration time(Configuration options, String name, Duration preset) {
            Duration time = options.duration(name, preset);
            if (time.compareTo(LONGEST) > 0) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 0ms to 10s");
            }
            return time;
        }
    }
}
