package org.tamanoir.client.resumable;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.client.resumable.Session.Application;
import org.tamanoir.client.session.SessionEnd;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.client.wire.Packetizer;

/** The nodes by which sessions to one destination are opened, in order: one at which a session has failed is the last choice of all for a while. */
public final class Ways {
    /** A node at which something failed is tried after the others for so long. */
    private static final long AVOIDED_NANOS = 10_000_000_000L;
    private static final SecureRandom SECRETS = new SecureRandom();

    private final NodeTls tls;
    private final Opening opening;
    private final SessionSettings settings;
    private final SessionTally tally;
    private final List<Way> ways;
    private final Duration patience;
    private final Openings openings = new Openings();

    /** Makes the packets of a leg. */
    public interface Opening {
        /**
         * Those of a stream to a node.
         *
         * @param id of the stream
         * @throws AnepException if there can be none
         */
        Packetizer packets(InetSocketAddress node, long id);
    }

    /** One node, and until when it is avoided. */
    private static final class Way {
        private final InetSocketAddress node;
        private volatile long avoidedUntil = System.nanoTime();

        Way(InetSocketAddress node) {
            this.node = node;
        }
    }

    /**
     * For sessions by some nodes, which are asked in their order.
     *
     * @param nodes          host names are looked up for each leg
     * @param tls            null for connections in the clear
     * @param connectTimeout how long a node may take to accept a connection; a second at most where there are several
     * @param tally          counts them, and has the memory for their rings
     */
    public Ways(List<InetSocketAddress> nodes, NodeTls tls, Duration connectTimeout, Opening opening, SessionSettings settings, SessionTally tally) {
        this.tls = tls;
        this.opening = opening;
        this.settings = settings;
        this.tally = tally;
        this.ways = nodes.stream().map(Way::new).toList();
        this.patience = NodeTls.patience(connectTimeout, nodes.size() > 1);
    }

    /** What has become of its sessions. */
    public SessionTally tally() {
        return tally;
    }

    /**
     * Opens a session. On the loop, on which it lives from then on.
     *
     * @param id of the session, and of the streams that carry it
     */
    public Session open(EventLoop loop, long id, Application application) {
        Session session = new Session(loop, tally, new Trip(loop));
        session.run(SessionEnd.opener(System.nanoTime(), id, SECRETS.nextLong(), SECRETS.nextLong(), settings.ring(), tally.budget(),
                settings.window().toNanos(), session.io(), new Random()), application);
        return session;
    }

    /** The legs of one session. */
    final class Trip {
        private final EventLoop loop;
        private final Set<Way> tried = new HashSet<>();
        private Session session;
        private int epoch;
        private Way way;

        Trip(EventLoop loop) {
            this.loop = loop;
        }

        EventLoop loop() {
            return loop;
        }

        /** Opens a leg when it is its turn. */
        void open(Session of, int newEpoch) {
            openings.leave(this);
            session = of;
            epoch = newEpoch;
            openings.enter(this);
        }

        /** It is its turn. On the loop. */
        void begin() {
            Resume resume = session.opening(epoch);
            if (resume == null) {
                openings.leave(this);
            } else {
                connect(session, epoch, resume);
            }
        }

        /** By the node that promises most. */
        private void connect(Session of, int ofEpoch, Resume resume) {
            long now = System.nanoTime();
            Way chosen = ways.stream().min(Comparator.comparingLong(each -> Math.max(0, each.avoidedUntil - now))).orElseThrow();
            way = chosen;
            tried.add(chosen);
            try {
                InetSocketAddress node = NetworkFailures.resolved(chosen.node);
                Packetizer packets = opening.packets(node, resume.session()).session(resume);
                NodeTls.connect(bootstrap(), node, tls, patience, channel -> {
                    Leg leg = new Leg(channel).of(packets.typeId(), packets.flags());
                    leg.join(of, ofEpoch);
                    leg.listen(tally);
                    leg.write(packets.opening(channel.alloc()));
                    of.connected(leg);
                }, failure -> of.lost(ofEpoch, failure));
            } catch (AnepException e) {
                loop.execute(() -> of.lost(ofEpoch, e));
            }
        }

        private Bootstrap bootstrap() {
            return EventLoops.tcp(loop).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience.toMillis());
        }

        /** What was being opened stands, or is not wanted any more. */
        void end() {
            openings.leave(this);
        }

        void failed() {
            end();
            if (way != null) {
                way.avoidedUntil = System.nanoTime() + AVOIDED_NANOS;
            }
        }

        void reached() {
            end();
            way.avoidedUntil = System.nanoTime();
        }

        boolean triedAll() {
            return tried.size() == ways.size();
        }
    }
}
