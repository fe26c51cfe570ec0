package org.tamanoir.services.qosinus;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.qos.ServiceLevel.Flow;

/** The sessions of this node by their code, within bounds. Safe for all threads. */
final class SessionTable {
    /** The operating system's generator: nobody guesses a code. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ConcurrentMap<Long, Session> sessions = new ConcurrentHashMap<>();
    private final Map<InetAddress, Integer> bySource = new HashMap<>();
    private final Map<Flow, Long> byFlow = new HashMap<>();
    private final ConcurrentMap<Segment, Integer> segments = new ConcurrentHashMap<>();
    private volatile Settings settings;
    private volatile boolean incomplete;

    SessionTable(Settings settings) {
        this.settings = settings;
    }

    void settings(Settings changed) {
        settings = changed;
    }

    /** Whether sessions of before the start are still being read. */
    boolean isIncomplete() {
        return incomplete;
    }

    void incomplete(boolean is) {
        incomplete = is;
    }

    /** The session of a code, or null. */
    Session find(long code) {
        return sessions.get(code);
    }

    Collection<Session> all() {
        return sessions.values();
    }

    int size() {
        return sessions.size();
    }

    /** What can be measured of all paths. */
    Collection<Segment> segments() {
        return segments.keySet();
    }

    /** A code that nobody has. */
    long newCode() {
        long code;
        do {
            code = RANDOM.nextLong();
        } while (code == 0 || sessions.containsKey(code) || sessions.containsKey(~code));
        return code;
    }

    /**
     * Whether a session of this source for this flow may be added.
     *
     * @param entry whether the source is the application: behind the first node it is the node before, which speaks for many, and may have
     *              half of the table
     * @throws AnepException EE-805, EE-806
     */
    synchronized void check(InetAddress owner, Flow flow, boolean entry) {
        int most = entry ? settings.ofSource() : Math.max(settings.ofSource(), settings.sessions() / 2);
        if (sessions.size() >= settings.sessions()) {
            throw new AnepException(ErrorCode.TOO_MANY_SESSIONS, "the node holds " + sessions.size() + " sessions and may hold no more");
        }
        if (bySource.getOrDefault(owner, 0) >= most) {
            throw new AnepException(ErrorCode.TOO_MANY_SESSIONS, owner.getHostAddress() + " holds " + most
                    + " sessions and may hold no more");
        }
        if (isOneFlow(flow) && byFlow.containsKey(flow)) {
            throw new AnepException(ErrorCode.DUPLICATE_FLOW, "another session is for the same flow; modify or release that one");
        }
    }

    /** Whether a flow is one stream; several sessions may be for the streams between two hosts. */
    private static boolean isOneFlow(Flow flow) {
        return flow.stream() != 0 || flow.sourcePort() != 0 && flow.destinationPort() != 0;
    }

    /** Adds a session, or puts it in the place of the one of its code. */
    synchronized void put(Session session) {
        Session before = sessions.put(session.code, session);
        if (before != null) {
            forget(before);
        }
        remember(session);
    }

    /** A session has another level or path: whatever is looked up by those is put right. @return what the change returns */
    synchronized <T> T change(Session session, Supplier<T> change) {
        forget(session);
        T changed = change.get();
        if (sessions.get(session.code) == session) {
            remember(session);
        }
        return changed;
    }

    private void remember(Session session) {
        bySource.merge(session.owner, 1, Integer::sum);
        if (isOneFlow(session.level.flow())) {
            byFlow.put(session.level.flow(), session.code);
        }
        measured(session).forEach(segment -> segments.merge(segment, 1, Integer::sum));
    }

    /** Removes a session; returns whether it was there. */
    synchronized boolean remove(Session session) {
        if (!sessions.remove(session.code, session)) {
            return false;
        }
        forget(session);
        return true;
    }

    /** The segments of both directions. */
    private static List<Segment> measured(Session session) {
        Session back = session.back;
        return Stream.of(session.segment, back == null ? null : back.segment).filter(Objects::nonNull).toList();
    }

    private void forget(Session session) {
        bySource.computeIfPresent(session.owner, (key, count) -> count == 1 ? null : count - 1);
        byFlow.remove(session.level.flow(), session.code);
        measured(session).forEach(segment -> segments.computeIfPresent(segment, (key, count) -> count == 1 ? null : count - 1));
    }
}
