package org.tamanoir.dyram.node;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.dyram.address.HostTable;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Join;

/**
 * Which way receivers have asked to join the sessions of a node, so that the answers find back. Names are cheap to make up: a host has room
 * for some of them, and all of them together have a bound.
 */
final class JoinRoutes {
    private static final int MOST = 16_384;
    private static final int MOST_OF_HOST = 1_024;
    /** A refusal may come as long as the session lasts; it is forgotten with it. */
    private static final long LIFE = 7 * 24 * 3_600_000_000_000L;

    /** A receiver of a session: another one of its name has another instance. */
    record Who(long session, String name, long instance) {
        Who(Join join) {
            this(join.session(), join.name(), join.instance());
        }
    }

    /**
     * What it said and where it came from.
     *
     * @param accept the source's answer; null if it was not accepted yet
     * @param above  which way up that answer came by; see {@link NodeSession}
     */
    record Way(Join join, InetSocketAddress from, boolean node, Accept accept, int above) {
        boolean isAccepted() {
            return accept != null;
        }
    }

    private final HostTable<Who, Way> ways = new HostTable<>(MOST, MOST_OF_HOST);

    /**
     * @param node whether a neighbour has sent it, which speaks for many
     * @return false if its host has asked for too many
     */
    boolean add(long now, Join join, InetSocketAddress from, boolean node) {
        Way before = find(now, join.session(), join.name(), join.instance());
        boolean same = before != null && before.from().equals(from);
        return put(now, new Who(join), new Way(join, from, node, same ? before.accept() : null, same ? before.above() : 0));
    }

    private boolean put(long now, Who who, Way way) {
        InetAddress host = way.node() ? null : way.from().getAddress();
        return ways.put(now, who, host, way, now + LIFE);
    }

    /** @param accept null if it was refused */
    void answered(long now, Way way, Accept accept, int above) {
        put(now, new Who(way.join()), new Way(way.join(), way.from(), way.node(), accept, above));
    }

    /** @return null if nobody has asked so */
    Way find(long now, long session, String name, long instance) {
        return ways.get(now, new Who(session, name, instance));
    }

    /** Those of a session that were not answered yet, some of them. */
    List<Join> waiting(long now, long session, int most) {
        List<Join> waiting = new ArrayList<>();
        ways.forEach(now, (who, way) -> {
            if (who.session() == session && !way.isAccepted() && waiting.size() < most) {
                waiting.add(way.join());
            }
        });
        return waiting;
    }

    void forget(long session) {
        ways.removeIf(who -> who.session() == session);
    }

    int size() {
        return ways.size();
    }
}
