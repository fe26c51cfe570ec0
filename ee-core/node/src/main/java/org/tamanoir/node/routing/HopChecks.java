package org.tamanoir.node.routing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.HopCheck;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;

/**
 * Asks the next hops of routes that have a choice, by datagrams to the port of their streams, whether they take streams. The answer comes from an event
 * loop of the hop, so one that is stopped or hangs does not give it, though its system still accepts connections. On one event loop.
 */
public final class HopChecks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopChecks.class);

    private final RouteTable routes;
    private final UdpSockets sockets;
    private final EventLoop loop;
    private final Map<InetSocketAddress, Asked> asked = new HashMap<>();
    private ScheduledFuture<?> asking;

    public HopChecks(RouteTable routes, UdpSockets sockets, EventLoop loop) {
        this.routes = routes;
        this.sockets = sockets;
        this.loop = loop;
    }

    /** Begins to ask. */
    public void open() {
        asking = loop.scheduleWithFixedDelay(this::ask, 0, HopHealth.PERIOD, TimeUnit.NANOSECONDS);
    }

    private void ask() {
        Set<InetSocketAddress> wanted = new HashSet<>();
        routes.all().stream().filter(Route::hasChoice).flatMap(route -> route.hops().stream()).map(NextHop::address).forEach(wanted::add);
        asked.entrySet().removeIf(each -> {
            boolean gone = !wanted.contains(each.getKey()) || each.getValue().health != routes.hops().health(each.getKey());
            if (gone) {
                each.getValue().close();
            }
            return gone;
        });
        for (InetSocketAddress hop : wanted) {
            HopHealth health = routes.hops().health(hop);
            if (health != null) {
                asked.computeIfAbsent(hop, address -> new Asked(address, health)).ask();
            }
        }
    }

    /** A hop that is asked, with a socket of its own: the system then says when nobody listens there. */
    private final class Asked implements UdpLeg.Receiver {
        private final InetSocketAddress hop;
        private final HopHealth health;
        private final Packet view = new Packet();
        private UdpLeg leg;
        private boolean closed;
        private HopHealth.State last = HopHealth.State.UNKNOWN;

        Asked(InetSocketAddress hop, HopHealth health) {
            this.hop = hop;
            this.health = health;
            sockets.connect(loop, hop, this).whenComplete((made, failure) -> {
                if (failure != null) {
                    LOG.debug("next hop {} cannot be asked: {}", TcpSockets.text(hop), failure.getMessage());
                } else if (closed) {
                    made.close();
                } else {
                    leg = made;
                }
            });
        }

        void ask() {
            if (leg != null) {
                leg.write(PacketBuilder.hopCheck(PooledByteBufAllocator.DEFAULT, HopCheck.QUESTION, health.ask()), null);
                leg.flush();
            }
            HopHealth.Report report = health.report(System.nanoTime());
            if (report.state() != last) {
                boolean lost = report.state() == HopHealth.State.DOWN || report.state() == HopHealth.State.FAILED;
                LOG.atLevel(lost ? Level.WARN : Level.INFO).log("next hop {} is {}: it {}", TcpSockets.text(hop), report.state().text(), report.because());
                last = report.state();
            }
        }

        @Override
        public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
            try {
                Framing.checkDatagram(buffer, offset, length);
                view.wrap(buffer, offset, length).checkOptions();
            } catch (MalformedPacketException e) {
                return;
            }
            HopCheck says = view.typeId() == Anep.TYPE_CONTROL ? view.hopCheck() : null;
            if (says != null && says != HopCheck.QUESTION) {
                health.answered(says, view.hopCheckNumber(), System.nanoTime());
            }
        }

        @Override
        public void readComplete() {
            // Each answer stands alone.
        }

        @Override
        public void unreachable() {
            health.refused(System.nanoTime());
        }

        void close() {
            closed = true;
            if (leg != null) {
                leg.close();
            }
        }
    }

    /** Asks no more. */
    @Override
    public void close() {
        if (asking != null) {
            asking.cancel(false);
            loop.execute(() -> {
                asked.values().forEach(Asked::close);
                asked.clear();
            });
        }
    }
}
