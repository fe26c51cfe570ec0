package org.tamanoir.cluster.member;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Standing;

/** All that is known of one back end. */
final class BackEndEntry {
    /** What the director's check says. */
    enum Check {
        UNKNOWN, UP, DOWN
    }

    /** Why a back end gets nothing at all. */
    enum Out {
        LAPSED, DRAINED, LEFT, UNFIT
    }

    /** Instances that another one has replaced: more do not come and go within a lease unless it is held. */
    private static final int MOST_REPLACED = 8;

    final String name;
    final FlapHistory flaps = new FlapHistory();
    private final ArrayDeque<String> replaced = new ArrayDeque<>();
    String instance;
    long sequence;
    String pool;
    InetAddress address;
    int port;
    int health;
    List<Service> services = List.of();
    Affinity affinity = Affinity.NONE;
    Load load;
    Outcome outcome;
    Check check = Check.UNKNOWN;
    boolean leaving;
    long drained;
    /** Null while it is there. */
    Out out;
    String unfit;
    /** Why it is in no virtual service though it could serve; null otherwise. */
    String apart;
    long heard;
    private Standing last;
    private Out lastOut;
    private long since;

    BackEndEntry(String name) {
        this.name = name;
    }

    /** Whether the director knows it, and checks it. */
    boolean planned() {
        return out == null && !flaps.held() && apart == null;
    }

    /** Whether there is something that it could lose: one that is down, held or leaving has gone already. */
    boolean up() {
        return planned() && !leaving && check != Check.DOWN;
    }

    boolean at(InetAddress otherAddress, int otherPort) {
        return port == otherPort && address.equals(otherAddress);
    }

    void take(Report report, InetAddress at, long now) {
        if (instance != null && !instance.equals(report.instance())) {
            replaced.remove(report.instance());
            replaced.addLast(instance);
            if (replaced.size() > MOST_REPLACED) {
                replaced.removeFirst();
            }
        }
        instance = report.instance();
        sequence = report.sequence();
        pool = report.pool();
        address = at;
        port = report.port();
        health = report.health();
        services = report.services();
        affinity = Affinity.NONE;
        load = report.load();
        outcome = report.outcome();
        heard = now;
    }

    boolean wasReplaced(String other) {
        return replaced.contains(other);
    }

    Standing standing() {
        if (out != null) {
            return out == Out.DRAINED || out == Out.LEFT ? Standing.DRAINING : Standing.DOWN;
        }
        if (flaps.held()) {
            return Standing.HELD;
        }
        if (leaving) {
            return Standing.DRAINING;
        }
        return switch (check) {
            case UNKNOWN -> Standing.UNCHECKED;
            case UP -> Standing.IN;
            case DOWN -> Standing.DOWN;
        };
    }

    /** Puts it apart for a reason, or back. @return whether it has been put apart */
    boolean apart(String why, long now) {
        if (Objects.equals(why, apart)) {
            return false;
        }
        apart = why;
        check = Check.UNKNOWN;
        settle(now);
        return why != null;
    }

    /** Notes since when it stands as it stands; after everything that may have changed it. */
    void settle(long now) {
        if (standing() != last || out != lastOut) {
            last = standing();
            lastOut = out;
            since = now;
        }
    }

    Member member() {
        return new Member(name, instance, pool, address, port, health, services, affinity, load, outcome, standing(), out != null, why(), since, heard);
    }

    String where() {
        return Addresses.text(address).contains(":") ? "[" + Addresses.text(address) + "]" : Addresses.text(address);
    }

    private String why() {
        if (out != null) {
            return switch (out) {
                case LAPSED -> "does not report any more";
                case DRAINED -> "its time to drain is over";
                case LEFT -> "has left";
                case UNFIT -> unfit;
            };
        }
        return switch (standing()) {
            case IN -> null;
            case UNCHECKED -> apart != null ? apart : "has not yet answered GET /health at " + where() + ":" + health;
            case DOWN -> "does not answer GET /health at " + where() + ":" + health;
            case HELD -> "went too often; gets streams again when it has been well for " + flaps.length() / 1_000_000_000 + " s";
            case DRAINING -> instance == null ? "was leaving when this front-end started" : "leaves";
        };
    }
}
