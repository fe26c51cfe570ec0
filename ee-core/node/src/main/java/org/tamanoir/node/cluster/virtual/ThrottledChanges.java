package org.tamanoir.node.cluster.virtual;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;

/** Makes changes that are missing, and asks what takes a program to ask: both not more often than every few seconds, whatever goes wrong. */
final class ThrottledChanges {
    private static final long AGAIN_NANOS = 10_000_000_000L;
    /** Routing tables, and rules of that preference, for ways back: the first that nobody uses. Before the rule of the main table, 32766. */
    private static final int FIRST_TABLE = 13_220;
    private static final int TABLES = 32;
    private static final Pattern VIA = Pattern.compile("\\bvia (\\S+)");
    private static final Pattern DEVICE = Pattern.compile("\\bdev (\\S+)");

    /** @param failure null where it went well */
    private record Attempt(long nanos, AnepException failure) {
    }

    private record Known<T>(long nanos, T value) {
    }

    private final ChangeJournal journal;
    private final Map<String, Attempt> attempts = new HashMap<>();
    private final Map<String, Known<String>> routes = new HashMap<>();
    private final Map<String, Known<Boolean>> silent = new HashMap<>();
    private final Map<String, Known<MachineChange>> replies = new HashMap<>();

    ThrottledChanges(ChangeJournal journal) {
        this.journal = journal;
    }

    /** The change that this node has made to a thing; null if it has made none. */
    MachineChange has(MachineChange.Kind kind, String what) {
        return journal.changes().stream().filter(each -> each.kind() == kind && each.what().equals(what)).findFirst().orElse(null);
    }

    /**
     * Makes a change, or makes it again where it was made and is gone.
     *
     * @return what is in the journal
     * @throws AnepException EE-908; the same again for a while
     */
    MachineChange make(MachineChange change) {
        String key = change.kind() + change.what();
        Attempt last = attempts.get(key);
        if (last != null && last.failure != null && System.nanoTime() - last.nanos < AGAIN_NANOS) {
            throw last.failure;
        }
        try {
            MachineChange made = has(change.kind(), change.what());
            if (made == null) {
                made = change;
                journal.make(change);
            } else {
                made.make();
            }
            attempts.put(key, new Attempt(System.nanoTime(), null));
            return made;
        } catch (AnepException e) {
            attempts.put(key, new Attempt(System.nanoTime(), e));
            throw e;
        }
    }

    /** Takes one back, to make it in another way. */
    void takeBack(MachineChange change) {
        attempts.remove(change.kind() + change.what());
        journal.takeBack(change);
    }

    /** Takes back what has no purpose any more, the last first. */
    void keepOnly(Set<MachineChange> needed) {
        List<MachineChange> all = journal.changes();
        for (int i = all.size() - 1; i >= 0; i--) {
            if (!needed.contains(all.get(i))) {
                attempts.remove(all.get(i).kind() + all.get(i).what());
                replies.remove(all.get(i).what());
                journal.takeBack(all.get(i));
            }
        }
    }

    /** What has been changed, in order. */
    List<String> texts() {
        return journal.changes().stream().map(MachineChange::text).toList();
    }

    /** Sees to it that answers from an address leave by a router. @throws AnepException EE-908 */
    MachineChange reply(String host, String router) {
        Known<MachineChange> known = replies.get(host);
        if (known != null && known.value.after().equals(router) && System.nanoTime() - known.nanos < AGAIN_NANOS) {
            return known.value;
        }
        MachineChange ours = has(MachineChange.Kind.REPLY, host);
        if (ours != null && (!ours.after().equals(router) || !isThere(ours))) {
            journal.takeBack(ours);
            ours = null;
        }
        MachineChange made = ours == null ? make(MachineChange.reply(host, freeTable(host), router)) : ours;
        replies.put(host, new Known<>(System.nanoTime(), made));
        return made;
    }

    private static String family(String host) {
        return host.indexOf(':') < 0 ? "-4" : "-6";
    }

    private static boolean isThere(MachineChange reply) {
        return MachineChange.hasTable(family(reply.what()), reply.device())
                && HostNetwork.ip(family(reply.what()), "rule", "show", "preference", reply.device()).lines().count() == 2;
    }

    private static int freeTable(String host) {
        for (int table = FIRST_TABLE; table < FIRST_TABLE + TABLES; table++) {
            if (!MachineChange.hasTable(family(host), Integer.toString(table))
                    && HostNetwork.ip(family(host), "rule", "show", "preference", Integer.toString(table)).isEmpty()) {
                return table;
            }
        }
        throw HostNetwork.wrong("the routing tables from " + FIRST_TABLE + " to " + (FIRST_TABLE + TABLES - 1) + " are all in use", null);
    }

    /** The router of the default route; null if there is none. */
    String defaultRouter(boolean four) {
        return found(VIA, defaultRoute(four));
    }

    /** The interface by which answers to clients that are not next to the machine leave; null if nothing says so. */
    String leavesBy(boolean four, InetAddress router) {
        String route = router == null ? defaultRoute(four) : route(four, "get", VirtualAddress.text(router));
        return found(DEVICE, route);
    }

    private String defaultRoute(boolean four) {
        return route(four, "show", "default").lines().findFirst().orElse("");
    }

    private String route(boolean four, String... what) {
        String key = four + String.join(" ", what);
        Known<String> known = routes.get(key);
        if (known == null || System.nanoTime() - known.nanos > AGAIN_NANOS) {
            known = new Known<>(System.nanoTime(), HostNetwork.ip(four ? "-4" : "-6", "route", what[0], what[1]));
            routes.put(key, known);
        }
        return known.value;
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    /** Whether an interface does not answer ARP. */
    boolean isSilent(NetworkInterface device) {
        Known<Boolean> known = silent.get(device.getName());
        if (known == null || System.nanoTime() - known.nanos > AGAIN_NANOS) {
            known = new Known<>(System.nanoTime(), HostNetwork.isSilent(device));
            silent.put(device.getName(), known);
        }
        return known.value;
    }
}
