package org.tamanoir.services.qosenforcement;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.services.qosenforcement.Enforcement.EnforcementSettings;

/** Who has which share of which class. Safe for all threads; allocations are made one after the other. */
final class Shares {
    /** A code point has 6 bits: there cannot be more classes. */
    private static final int MOST_CLASSES = 64;

    private final EnforcementSettings settings;
    private final LongSupplier clock;
    private final Consumer<ClassShare> onClass;
    private final ConcurrentMap<String, ClassShare> classes = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, SessionShare> sessions = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private int held;

    /** @param onClass is told of each class when it is seen first */
    Shares(EnforcementSettings settings, LongSupplier clock, Consumer<ClassShare> onClass) {
        this.settings = settings;
        this.clock = clock;
        this.onClass = onClass;
    }

    /** {@link org.tamanoir.service.qos.QosEnforcement#allocate}. */
    synchronized boolean allocate(long session, QosClass qosClass, long rate) {
        ClassShare wanted = of(qosClass);
        boolean listed = classes.get(qosClass.name()) == wanted;
        if (listed) {
            wanted.provision(qosClass.capacity(), clock.getAsLong());
        }
        if (!qosClass.isProvisioned()) {
            release(session);
            return true;
        }
        SessionShare share = sessions.get(session);
        ClassShare before = share == null ? null : share.granted();
        long had = share == null ? 0 : share.rate();
        if (!listed || rate < 0 || !wanted.hasRoom(before == wanted ? had : 0, rate) || share == null && held >= settings.sessions()) {
            refused.increment();
            return false;
        }
        if (before == wanted && had == rate) {
            return true;
        }
        long now = clock.getAsLong();
        if (share == null) {
            share = new SessionShare();
            held++;
        } else {
            before.allocate(-had, now);
        }
        wanted.allocate(rate, now);
        share.grant(wanted, rate, now);
        sessions.put(session, share);
        return true;
    }

    /** {@link org.tamanoir.service.qos.QosEnforcement#release}. */
    synchronized void release(long session) {
        SessionShare share = sessions.remove(session);
        if (share != null) {
            held--;
            long now = clock.getAsLong();
            share.granted().allocate(-share.rate(), now);
            share.grant(null, 0, now);
        }
    }

    /** The class of this name. Its capacity is that of the last allocation in it: an order may be older. */
    ClassShare of(QosClass qosClass) {
        ClassShare share = classes.get(qosClass.name());
        return share != null ? share : added(qosClass);
    }

    private synchronized ClassShare added(QosClass qosClass) {
        ClassShare share = classes.get(qosClass.name());
        if (share == null) {
            if (classes.size() >= MOST_CLASSES) {
                QosClass none = new QosClass(qosClass.name(), qosClass.cost(), qosClass.transport(), 0, qosClass.green(), qosClass.yellow(), qosClass.red());
                return new ClassShare(none, settings.spareBurst(), clock.getAsLong());
            }
            share = new ClassShare(qosClass, settings.spareBurst(), clock.getAsLong());
            classes.put(qosClass.name(), share);
            onClass.accept(share);
        }
        return share;
    }

    /** The share of a session; null if it has none. */
    SessionShare find(long session) {
        return sessions.get(session);
    }

    EnforcementSettings settings() {
        return settings;
    }

    LongSupplier clock() {
        return clock;
    }

    Map<Long, SessionShare> sessions() {
        return sessions;
    }

    Map<String, ClassShare> classes() {
        return new TreeMap<>(classes);
    }

    long refused() {
        return refused.sum();
    }
}
