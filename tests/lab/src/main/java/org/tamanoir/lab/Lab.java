package org.tamanoir.lab;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network of its own on this machine. Everything that it makes goes when it is closed, and when the process ends without closing it; what
 * a killed process left behind goes when the next laboratory opens.
 *
 * <pre>{@code
 * try (Lab lab = Lab.open()) {
 *     Host a = lab.host("a");
 *     Host b = lab.host("b");
 *     Link link = lab.link(a, b, LinkOptions.DEFAULT.rate("100mbit"));
 *     LabProcess server = b.start("server", "nc", "-l", "7000");
 *     a.run("ping", "-c", "1", link.second().ipv4().getHostAddress());
 * }
 * }</pre>
 *
 * <p>Not for use by several threads at once.
 */
public final class Lab implements AutoCloseable {
    /** Links and bridges of one laboratory: their number is an octet of their addresses. */
    public static final int MAX_LINKS = 254;
    /** Every address of a laboratory, as a list in a configuration. */
    public static final String PREFIXES = "['10.0.0.0/16', 'fd00::/48']";

    private static final Logger LOG = LoggerFactory.getLogger(Lab.class);
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int number = COUNT.incrementAndGet();
    private final Map<String, Host> hosts = new HashMap<>();
    private final Deque<LabProcess> processes = new ArrayDeque<>();
    private final Thread hook = new Thread(this::removeAll, "laboratory clean-up");
    private int links;

    private Lab() {
    }

    /**
     * A laboratory without hosts; sweeps what dead runs left.
     *
     * @throws LabException if something that it needs is missing; the message names the remedy
     */
    public static Lab open() {
        LabRequirements.check().orThrow();
        sweep();
        Lab lab = new Lab();
        Runtime.getRuntime().addShutdownHook(lab.hook);
        return lab;
    }

    /** A laboratory with what is made in it. If that fails nothing is left. */
    public static <T> T open(Function<Lab, T> make) {
        Lab lab = open();
        try {
            return make.apply(lab);
        } catch (RuntimeException | Error e) {
            lab.close();
            throw e;
        }
    }

    /** Removes the namespaces of processes that no longer exist, and what runs in them. @return how many there were */
    public static int sweep() {
        List<String> leftovers = Namespaces.leftovers();
        for (String name : leftovers) {
            try {
                Namespaces.remove(name);
            } catch (LabException e) {
                // Another laboratory that opened at this moment may have been quicker.
                if (Namespaces.exists(name)) {
                    throw e;
                }
            }
        }
        if (!leftovers.isEmpty()) {
            LOG.info("removed {} namespaces of dead runs", leftovers.size());
        }
        return leftovers.size();
    }

    /**
     * A new host: a network namespace with its loopback interface up.
     *
     * @param name one to twelve of {@code a-z}, {@code 0-9} and {@code -}, once in a laboratory
     */
    public Host host(String name) {
        if (!name.matches("[a-z0-9-]{1,12}")) {
            throw new IllegalArgumentException("host name '" + name + "': one to twelve of a-z, 0-9 and '-'");
        }
        if (hosts.containsKey(name)) {
            throw new IllegalArgumentException("there is a host '" + name + "' already");
        }
        Host host = new Host(this, name, MakerName.of(number + "-" + name));
        hosts.put(name, host);
        host.create();
        return host;
    }

    /** Joins two hosts by a link with the defaults: MTU 1500, no limit. */
    public Link link(Host first, Host second) {
        return link(first, second, LinkOptions.DEFAULT);
    }

    /** Joins two hosts. The link number N gives the addresses: 10.0.N.1 and 10.0.N.2, fd00:0:0:N::1 and fd00:0:0:N::2. */
    public Link link(Host first, Host second, LinkOptions options) {
        return Link.create(nextLink(), first, second, options);
    }

    /** Joins two hosts by way of a delay box that has not been started yet. The addresses are those of any link. */
    public Link link(Host first, DelayBox box, Host second, LinkOptions options) {
        return Link.create(nextLink(), first, box, second, options);
    }

    /** Puts a switch of Ethernet into a host. The number N of the link gives the subnet; the host has 10.0.N.1 and fd00:0:0:N::1. */
    public Bridge bridge(Host router, LinkOptions options) {
        return new Bridge(nextLink(), router, options);
    }

    private int nextLink() {
        if (links == MAX_LINKS) {
            throw new IllegalStateException("a laboratory has at most " + MAX_LINKS + " links");
        }
        return ++links;
    }

    void started(LabProcess process) {
        processes.push(process);
    }

    /** Ends the processes, the last first, and removes the hosts with their links, rules and counters. Closing again does nothing. */
    @Override
    public void close() {
        removeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("closed while the process ends: the hook has nothing left to do");
        }
    }

    private synchronized void removeAll() {
        while (!processes.isEmpty()) {
            processes.pop().close();
        }
        LabException failure = null;
        for (Host host : hosts.values()) {
            try {
                Namespaces.remove(host.namespace());
            } catch (LabException e) {
                failure = e;
            }
        }
        hosts.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
