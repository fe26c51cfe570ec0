package org.tamanoir.node.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.node.cluster.virtual.VirtualAddress;

/** The front-ends that a node reports to. Changed by one thread at a time; looked at by any. */
final class Registrar implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registrar.class);
    /** For all front-ends together to be told that the node is gone. */
    private static final long FAREWELL_MILLIS = 2_500;
    private static final long MOST_SETTLING_NANOS = 2_000_000_000L;

    private final UnaryOperator<Report> report;
    private final Runnable answered;
    private final SSLContext tls;
    private final List<Frontend> frontends = new CopyOnWriteArrayList<>();
    private ClusterSettings settings;

    /**
     * @param report   gives the report that is due, by the one that its front-end had last, null for none; called by several threads
     * @param answered run after each answer of each front-end
     * @param tls      for https; null for the JDK's authorities
     */
    Registrar(UnaryOperator<Report> report, Runnable answered, SSLContext tls) {
        this.tls = tls;
        this.report = report;
        this.answered = answered;
    }

    /** Leaves the front-ends that are no more among them, or that would take it for another back end, and registers at the new ones. */
    void configure(ClusterSettings now) {
        boolean same = settings != null && settings.isSameMember(now);
        settings = now;
        List<Frontend> old = frontends.stream().filter(each -> !same || !now.frontends().contains(each.url())).toList();
        frontends.removeAll(old);
        leave(old);
        List<String> kept = frontends.stream().map(Frontend::url).toList();
        for (String url : now.frontends()) {
            if (!kept.contains(url)) {
                Frontend frontend = new Frontend(url, now.token(), tls, report, answered);
                frontends.add(frontend);
                frontend.start();
            }
        }
    }

    List<Frontend> all() {
        return frontends;
    }

    /**
     * What the front-ends want together of this machine.
     *
     * @param before what they wanted before
     * @param waits  whether it stands until each of them has had its time to say
     */
    Set<VirtualAddress> wanted(Set<VirtualAddress> before, boolean waits) {
        Set<VirtualAddress> all = new HashSet<>();
        boolean settled = true;
        for (Frontend each : frontends) {
            FrontendContact.View view = each.contact().view();
            settled &= view.welcome() != null;
            if (view.welcome() != null) {
                all.addAll(VirtualAddressRequests.wanted(view.welcome()));
            }
        }
        if (!settled && waits) {
            all.addAll(before);
        }
        return all;
    }

    private List<FrontendContact> answering() {
        return frontends.stream().map(Frontend::contact).filter(FrontendContact::answers).toList();
    }

    /** What those that answer want done. */
    List<Order> orders() {
        return answering().stream().map(each -> each.view().welcome().order()).filter(Objects::nonNull).toList();
    }

    /** Whether all that answer know that the back end leaves, and one does. */
    boolean knowLeaving() {
        List<FrontendContact> answering = answering();
        return !answering.isEmpty() && answering.stream().allMatch(FrontendContact::knowsLeaving);
    }

    /** How long directors may need to do what their front-ends know. */
    long settlingNanos() {
        return Math.min(MOST_SETTLING_NANOS, frontends.stream().mapToLong(each -> each.contact().periodNanos()).max().orElse(0));
    }

    /** Reports to all at once. */
    void hurry() {
        frontends.forEach(Frontend::hurry);
    }

    /** Tells all of them that the node is gone. */
    @Override
    public void close() {
        List<Frontend> all = List.copyOf(frontends);
        frontends.clear();
        leave(all);
    }

    /** Each by itself: one that hangs must not keep the others from hearing it. */
    private static void leave(Collection<Frontend> old) {
        List<Thread> telling = new ArrayList<>();
        for (Frontend each : old) {
            each.end();
            Thread thread = new Thread(each::farewell, "tamanoir-member-farewell");
            thread.setDaemon(true);
            thread.start();
            telling.add(thread);
        }
        long end = System.nanoTime() + FAREWELL_MILLIS * 1_000_000;
        try {
            for (Thread thread : telling) {
                thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            }
        } catch (InterruptedException e) {
            LOG.debug("the front-ends are not waited for any more");
            Thread.currentThread().interrupt();
        }
    }
}
