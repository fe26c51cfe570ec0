package org.tamanoir.services.dyram;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.tamanoir.anep.Packet;
import org.tamanoir.dyram.address.AddressCookies;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.node.NodeCore;
import org.tamanoir.dyram.node.NodeSettings;
import org.tamanoir.dyram.wire.BadMessageException;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.ServiceSet.Service;
import org.tamanoir.service.Timer;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.Links;

/**
 * Drives one {@link NodeCore} on the links of one event loop: decodes what comes, encodes what leaves, keeps one timer. Its numbers are
 * read by other threads, which may see them a moment late.
 */
final class DyramHandler implements LinkHandler {
    private final Links links;
    private final Asking asking;
    private final NodeCore core;
    private Timer timer;
    private long armed = Long.MAX_VALUE;
    private long malformed;
    private long unsent;

    /**
     * What the handlers of one node share: their cookies, and which of them asks for one when a datagram without a session has come to all.
     */
    static final class Asking {
        private final AddressCookies cookies = new AddressCookies();
        private final AtomicReference<DyramHandler> one = new AtomicReference<>();

        private boolean isUpTo(DyramHandler handler) {
            return one.compareAndSet(null, handler) || one.get() == handler;
        }

        private void closed(DyramHandler handler) {
            one.compareAndSet(handler, null);
        }
    }

    DyramHandler(Links links, DyramSettings settings, Asking asking) {
        this.links = links;
        this.asking = asking;
        this.core = new NodeCore(new NodeSettings(settings.hop(), links::neighbours, links.hasGroups(),
                links.relaysGroups(), NodeSettings.REPORTS, settings.silence(),
                settings.sessions()), asking.cookies, () -> asking.isUpTo(this), this::send, new SecureRandom());
        asking.isUpTo(this);
        settings.groups().forEach(links::join);
    }

    private void send(Message message, InetSocketAddress to) {
        if (!links.send(Codec.encode(message, links.allocator()), to)) {
            unsent++;
        }
    }

    @Override
    public void onPacket(Packet packet, InetSocketAddress from) {
        Message message;
        try {
            message = Codec.decode(packet);
        } catch (BadMessageException e) {
            malformed++;
            links.service().logger().debug("from {}: {}", from, e.getMessage());
            return;
        }
        core.onMessage(links.nanoTime(), message, from);
    }

    @Override
    public void onReadComplete() {
        core.flush(links.nanoTime());
        arm();
    }

    private void expire() {
        timer = null;
        armed = Long.MAX_VALUE;
        long now = links.nanoTime();
        if (now >= core.deadline()) {
            core.onTimer(now);
        }
        arm();
    }

    /** A timer that is too early finds out; one that is too late is set again. */
    private void arm() {
        long deadline = core.deadline();
        if (deadline >= armed) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        armed = deadline;
        timer = links.later(Duration.ofNanos(deadline - links.nanoTime()), this::expire);
    }

    @Override
    public void close() {
        asking.closed(this);
    }

    long count(Count count) {
        return core.counters().get(count);
    }

    long malformed() {
        return malformed;
    }

    int sessions() {
        return core.sessions();
    }

    int sessions(Service service) {
        return core.sessions(service);
    }

    int losses() {
        return core.losses();
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> report = new TreeMap<>(core.report());
        report.put("malformed", malformed);
        report.put("unsent", unsent);
        return report;
    }
}
