package org.tamanoir.node.cluster.virtual;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Keeps the machine set up for the virtual addresses that directors forward to it. What is wrong is said and does not end anything: an operator may
 * have set it up by hand, and the node serves on.
 */
public final class VirtualSetup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VirtualSetup.class);

    /** Takes streams at one more address until what it returns is closed. */
    public interface Opener {
        /** @throws AnepException EE-502 */
        AutoCloseable open(InetSocketAddress address);
    }

    private final Opener opener;
    private final ChangeJournal journal;
    private final ThrottledChanges repairs;
    private final String tunnel;
    private final Map<InetSocketAddress, AutoCloseable> listening = new HashMap<>();
    private InetAddress own;
    private InetAddress router;
    private List<Prefix> allowed = List.of();
    private List<String> frontends = List.of();
    private volatile List<String> problems = List.of();
    private volatile List<String> state = List.of();
    private volatile String lost;

    /**
     * @param data of the node
     * @param port that the node listens on: its tunnel is called after it
     */
    public VirtualSetup(Path data, int port, Opener opener) {
        this.opener = opener;
        this.journal = new ChangeJournal(data);
        this.repairs = new ThrottledChanges(journal);
        this.tunnel = "tamanoir-" + port;
        journal.recover();
    }

    /** Takes back what a run of the node that ended without doing so has left on this machine. */
    public static void takeAwayLeftovers(Path data) {
        new ChangeJournal(data).recover();
    }

    /**
     * What it is set up by.
     *
     * @param newOwn       the node's own address
     * @param newRouter    by which answers leave; null for whatever the routes say
     * @param newFrontends their URLs
     * @param newAllowed   where virtual addresses may be: front-ends decide within these alone
     */
    public synchronized void machine(InetAddress newOwn, InetAddress newRouter, List<String> newFrontends, List<Prefix> newAllowed) {
        allowed = List.copyOf(newAllowed);
        own = newOwn;
        router = newRouter;
        frontends = newFrontends.stream().map(url -> URI.create(url).getHost()).map(host -> host == null ? "" : host.replaceAll("[\\[\\]]", "")).toList();
    }

    /** Makes what is missing for these addresses, takes back what is for others, and says what is wrong. To be called again and again. */
    public synchronized void want(Set<VirtualAddress> wanted) {
        SetupPass pass = new SetupPass(repairs, own, tunnel);
        Set<InetSocketAddress> sockets = new HashSet<>();
        for (VirtualAddress wish : wanted.stream().sorted(Comparator.comparing(each -> each.socket().toString())).toList()) {
            if (allowed.stream().noneMatch(prefix -> prefix.contains(wish.address()))) {
                pass.refuse(wish);
                continue;
            }
            sockets.add(wish.socket());
            pass.set(() -> pass.address(wish));
            pass.set(() -> pass.reply(wish, router, frontends));
            pass.listening(wish, HostNetwork.holder(wish.address()) == null ? null : listen(wish.socket()));
        }
        List.copyOf(listening.keySet()).stream().filter(each -> !sockets.contains(each)).forEach(this::unlisten);
        repairs.keepOnly(pass.needed());
        lost = pass.lost();
        List<String> said = List.copyOf(pass.problems());
        said.stream().filter(each -> !problems.contains(each)).forEach(each -> LOG.warn("{}", each));
        problems = said;
        List<String> lines = new ArrayList<>(repairs.texts());
        listening.keySet().stream().map(each -> "streams come in at " + VirtualAddress.text(each.getAddress()) + " port " + each.getPort()).sorted()
                .forEach(lines::add);
        state = List.copyOf(lines);
    }

    /** Null if the node takes streams there. */
    private AnepException listen(InetSocketAddress address) {
        if (listening.containsKey(address)) {
            return null;
        }
        try {
            listening.put(address, opener.open(address));
            return null;
        } catch (AnepException e) {
            return new AnepException(ErrorCode.BACK_END_SETUP, e.text(), e);
        }
    }

    private void unlisten(InetSocketAddress address) {
        try {
            listening.remove(address).close();
        } catch (Exception e) {
            LOG.warn("what listens at {} does not close", address, e);
        }
    }

    /** What is wrong, with a code each; empty if nothing is. */
    public List<String> problems() {
        return problems;
    }

    /** What has been done, a line each. */
    public List<String> state() {
        return state;
    }

    /** Why packets that directors forward are lost here; null if they are not. */
    public String lost() {
        return lost;
    }

    /** Takes back everything. */
    @Override
    public synchronized void close() {
        List.copyOf(listening.keySet()).forEach(this::unlisten);
        repairs.keepOnly(Set.of());
        state = List.of();
        problems = List.of();
        lost = null;
    }
}
