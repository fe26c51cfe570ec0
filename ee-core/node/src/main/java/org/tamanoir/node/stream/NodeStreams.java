package org.tamanoir.node.stream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.firefly.Fireflies;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.link.LinkLoop;
import org.tamanoir.node.link.LinkServices;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.node.offload.LightPath.LightTarget;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.routing.HopChecks;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.routing.ToldExchange;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.tcpstate.StreamReason;
import org.tamanoir.node.tcpstate.TcpStateSettings;
import org.tamanoir.node.tcpstate.TcpStates;
import org.tamanoir.node.tcpstate.WatchedStream;
import org.tamanoir.node.trace.Traces;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.OwnListeners;
import org.tamanoir.node.transport.PortPair;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.TcpSockets.Acceptor;
import org.tamanoir.node.transport.TcpSockets.NewLeg;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;
import org.tamanoir.node.tuning.Tuning;
import org.tamanoir.service.Transport;
import org.tamanoir.service.tcp.TcpStreams;

/** The streams of a node: takes them in, lists them, lets them finish. */
public final class NodeStreams implements AutoCloseable {
    /** How long an event loop may take to answer; one that a service holds for good does not. */
    private static final int PATIENCE_SECONDS = 2;
    /** Two questions of a node before, and the way of the answer: it knows then that this node is stopping. */
    private static final Duration FAREWELL = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(NodeStreams.class);

    private final StreamTable table;
    private final Overload overload = new Overload();
    private final Peers peers;
    private final StreamCounters counters = new StreamCounters();
    private final StreamEnvironment environment;
    private final LinkServices links;
    private final HopChecks checks;
    private final ToldExchange told;
    private final EventLoops eventLoops;
    private final Sockets sockets;
    private final Deployer deployer;
    private final OwnListeners own;
    private final Map<EventLoop, IdleConnections> idle = new ConcurrentHashMap<>();
    /** Those of streams, the light ones too; while the node serves, others may come and go. */
    private final List<Channel> listeners = new CopyOnWriteArrayList<>();
    private final List<UdpPort> ports = new ArrayList<>();

    /**
     * @param self   what this node tells the next of itself
     * @param limits asked anew each time, so that they can change
     * @param own    where the node listens; what this opens is added
     * @param peers  nodes that are believed
     * @param next   what is next to the node
     * @param tls    null for none
     * @param access who may open which streams
     * @param sampling how often TCP state is read
     * @param fireflies who is told of each flow
     * @param traces which streams are recorded
     * @param tuning rules for their connections
     */
    public NodeStreams(PreviousNode self, EventLoops loops, Supplier<StreamLimits> limits, RouteTable routes, OwnListeners own, Peers peers,
                   PoolTable pools, Deployer deployer, ServiceWatch watch, Offload offload, ServiceRegistry registry, LinkSettings next, Tls tls, AccessControl access,
                   Supplier<TcpStateSettings> sampling, Fireflies fireflies, Traces traces, Tuning tuning) {
        this.eventLoops = loops;
        this.own = own;
        this.table = new StreamTable(limits, peers);
        this.peers = peers;
        this.sockets = new Sockets(new TcpSockets(loops, tls, fireflies::flowLabel), new UdpSockets(loops));
        this.deployer = deployer;
        this.environment = new StreamEnvironment(tls, access, self, limits, routes, peers, new DeployedServices(deployer), watch, loops::memory, sockets, table, overload, counters, offload,
                new PoolChoice(pools, deployer::describe), idle::get, new FlowEnd(routes, registry, sockets.tcp()::discard), new TcpStates(sampling), fireflies, traces, tuning);
        this.links = new LinkServices(next, registry, deployer::request, watch, sockets.udp());
        this.checks = new HopChecks(routes, sockets.udp(), loops.all().get(0));
        this.told = new ToldExchange(self.id(), routes);
        for (EventLoop loop : loops.all()) {
            idle.put(loop, new IdleConnections(environment));
            StreamClock clock = new StreamClock(System::nanoTime, () -> table.on(loop), idle.get(loop), loops.memory(loop), counters.waits()::lag);
            loop.scheduleWithFixedDelay(clock::tick, StreamClock.TICK_NANOS, StreamClock.TICK_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    /** The sockets of the node. */
    private record Sockets(TcpSockets tcp, UdpSockets udp) implements StreamEnvironment.Connector {
        @Override
        public TcpLeg kept(EventLoop loop, InetSocketAddress hop, boolean secure) {
            return tcp.kept(loop, hop, secure);
        }

        @Override
        public CompletableFuture<Void> connect(EventLoop loop, InetSocketAddress hop, boolean secure, int timeoutMillis, boolean offers, Consumer<TcpLeg> made) {
            return tcp.connect(loop, hop, secure, timeoutMillis, connection -> made.accept(offers ? connection.offeredLeg() : connection.leg(null)));
        }

        @Override
        public CompletableFuture<UdpLeg> connect(EventLoop loop, InetSocketAddress hop, UdpLeg.Receiver receiver) {
            return udp.connect(loop, hop, receiver);
        }
    }

    /**
     * Takes TCP and UDP streams on an address; port 0 takes one that is free for both.
     *
     * @return the address with its real port
     * @throws AnepException EE-502
     */
    public InetSocketAddress listen(InetSocketAddress address) {
        boolean first = ports.isEmpty();
        Channel tcp = PortPair.open(address, any -> sockets.tcp().listen(any, true, new Taken(null)), real -> ports.addAll(UdpPort.open(environment, sockets.udp(), real)));
        took(tcp);
        if (first) {
            openLinks();
            checks.open();
            ports.forEach(port -> port.told(told));
            told.open(ports.get(0).leg());
        }
        return (InetSocketAddress) tcp.localAddress();
    }

    /**
     * Takes streams at one more address, a virtual one, until what is returned is closed: what comes in there is answered from there, datagrams too,
     * which a socket of every address would answer from another one. Where a listener takes every address already, it takes these connections too.
     *
     * @param address of this machine, with its port
     * @throws AnepException EE-502
     */
    public AutoCloseable listenAlso(InetSocketAddress address) {
        boolean covered = listeners.stream().map(each -> (InetSocketAddress) each.localAddress()).anyMatch(each -> each != null && OwnListeners.covers(each, address));
        Channel tcp = covered ? null : sockets.tcp().listen(address, true, new Taken(null));
        List<UdpPort> also;
        try {
            also = UdpPort.open(environment, sockets.udp(), address);
        } catch (AnepException e) {
            if (tcp != null) {
                tcp.close().awaitUninterruptibly();
            }
            throw e;
        }
        if (tcp != null) {
            took(tcp);
        }
        // Sockets for datagrams are made one for each loop, in the loops' order.
        for (int i = 0; i < also.size(); i++) {
            also.get(i).links(ports.get(i).links().alsoBy(also.get(i).leg()));
        }
        return () -> {
            if (tcp != null) {
                listeners.remove(tcp);
                own.remove(address);
                tcp.close().awaitUninterruptibly();
            }
            links.forget(address);
            also.forEach(UdpPort::end);
        };
    }

    private void took(Channel listener) {
        listeners.add(listener);
        own.add((InetSocketAddress) listener.localAddress());
    }

    /** Whether every listener is open: it takes streams, or would if there were no limits. */
    public boolean isListening() {
        return !table.isStopping() && !listeners.isEmpty() && listeners.stream().allMatch(Channel::isOpen);
    }

    /** The event loops that take connections in. */
    public List<EventLoop> accepting() {
        return listeners.stream().map(Channel::eventLoop).distinct().toList();
    }

    /** Every event loop of the node, always in the same order. */
    public List<EventLoop> loops() {
        return eventLoops.all();
    }

    /** The limits in force. */
    public StreamLimits limits() {
        return environment.limits().get();
    }

    /** Octets that all streams together retain, by the capacity of the buffers that they lie in; {@link StreamLimits#memory} at most. */
    public long retained() {
        return eventLoops.retained();
    }

    /** Datagrams that name no destination go to the handlers of their services from now on. */
    private void openLinks() {
        Map<UdpLeg, UdpPort> byLeg = new IdentityHashMap<>();
        ports.forEach(port -> byLeg.put(port.leg(), port));
        List<LinkLoop> loops = links.open(ports.stream().map(UdpPort::leg).toList(), leg -> byLeg.get(leg).ofGroups());
        for (int i = 0; i < loops.size(); i++) {
            ports.get(i).links(loops.get(i));
        }
    }

    /** What neighbours tell of their routes. */
    public ToldExchange told() {
        return told;
    }

    /** The services that speak with what is next to the node. */
    public LinkServices links() {
        return links;
    }

    /**
     * Takes light TCP streams on an address: what the kernel has not forwarded before it came here.
     *
     * @param targets where connections go, asked anew each time; one for which there is none is a stream like any other
     * @return the address with its real port
     * @throws AnepException EE-502
     */
    public InetSocketAddress listenLight(InetSocketAddress light, Supplier<List<LightTarget>> targets) {
        Channel tcp = sockets.tcp().listen(light, false, new Taken(targets));
        took(tcp);
        return (InetSocketAddress) tcp.localAddress();
    }

    /** Takes connections, and makes streams of them. */
    private final class Taken implements Acceptor {
        private final Supplier<List<LightTarget>> targets;

        /** @param targets of light connections, asked anew each time; null where all streams are ordinary ones */
        Taken(Supplier<List<LightTarget>> targets) {
            this.targets = targets;
        }

        @Override
        public long admit(InetSocketAddress peer) {
            overload.descriptor(peers.isStranger(peer.getAddress()));
            return table.admit(peer.getAddress(), Transport.TCP);
        }

        @Override
        public void gone(InetSocketAddress peer) {
            table.dismiss(peer.getAddress(), Transport.TCP);
        }

        @Override
        public void accepted(NewLeg connection, long number) {
            FirstPacket first = new FirstPacket();
            first.stream = new TcpStream(environment, number, connection.leg(first), light(connection.peer().getAddress()));
        }

        private LightTarget light(InetAddress peer) {
            return targets == null ? null : targets.get().stream().filter(target -> target.isFor(peer)).findFirst().orElse(null);
        }

        @Override
        public void refused(AnepException why) {
            counters.error(why.code());
            LOG.debug("a connection is not taken: {}", why.getMessage());
        }
    }

    /** The packet that opens the first stream of a connection. */
    private static final class FirstPacket extends Stage {
        private TcpStream stream;

        FirstPacket() {
            super(null);
        }

        @Override
        public void packet(Packet packet) {
            stream.open(packet);
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }
    }

    public StreamCounters counters() {
        return counters;
    }

    /** What refuses new streams while the node is short of something. */
    public Overload overload() {
        return overload;
    }

    /** Part of the places for streams that is in use, 0 to 1. */
    public double usage() {
        return table.usage();
    }

    public int count() {
        return table.count();
    }

    /** The open streams, oldest first. Waits for their loops; not for calls from one. */
    public List<StreamStatus> open() {
        return statuses(table.all().stream().map(Stream::number).toList()).stream().sorted(Comparator.comparingLong(StreamStatus::number)).toList();
    }

    /** What changes of the open streams from moment to moment. Waits for the loops; one that does not answer is left out. */
    public List<StreamLook> looks() {
        List<CompletableFuture<List<StreamLook>>> asked = new ArrayList<>();
        for (EventLoop loop : loops()) {
            asked.add(CompletableFuture.supplyAsync(() -> table.on(loop).stream().map(Stream::look).toList(), loop));
        }
        return asked.stream().flatMap(future -> future.completeOnTimeout(List.of(), PATIENCE_SECONDS, TimeUnit.SECONDS).join().stream()).toList();
    }

    /** Those of the streams with these numbers that are still there. Waits for their loops. */
    public List<StreamStatus> statuses(Collection<Long> numbers) {
        List<CompletableFuture<StreamStatus>> asked = new ArrayList<>();
        numbers.stream().map(table::find).filter(Objects::nonNull).forEach(stream -> asked.add(CompletableFuture.supplyAsync(stream::status, stream.loop())));
        return asked.stream().map(future -> future.completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join()).filter(Objects::nonNull).toList();
    }

    /** The streams that ended last, newest first. */
    public List<StreamStatus> ended() {
        return table.ended();
    }

    /** Has somebody told of each stream that ends, on its event loop: it must not block. */
    public void onEnded(Consumer<StreamStatus> listener) {
        table.onEnded(listener);
    }

    /**
     * One stream with what its services say of it, or null if there is none.
     *
     * @param number this node's number for it
     */
    public StreamStatus find(long number) {
        Stream stream = table.find(number);
        if (stream == null) {
            return table.ended().stream().filter(status -> status.number() == number).findFirst().orElse(null);
        }
        StreamStatus status = CompletableFuture.supplyAsync(stream::status, stream.loop())
                .completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        if (status == null) {
            throw new AnepException(ErrorCode.SERVICE_TIMEOUT, "the event loop of stream " + number + " does not answer; /health says why");
        }
        Map<String, Map<String, Object>> reports = CompletableFuture.supplyAsync(stream::report, stream.loop())
                .thenCompose(report -> report).completeOnTimeout(Map.of(), PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        return status.with(reports);
    }

    /** The TCP state of its streams, for a service that is told on its own tasks. */
    public TcpStreams tcpOf(Executor tasks) {
        return environment.tcp().forService(loops().get(0), tasks);
    }

    /** The TCP state of its streams. */
    public Fireflies fireflies() {
        return environment.fireflies();
    }

    /** Which streams are recorded. */
    public Traces traces() {
        return environment.traces();
    }

    public TcpStates tcp() {
        return environment.tcp();
    }

    public Tuning tuning() {
        return environment.tuning();
    }

    /**
     * Why a stream is as fast as it is. Waits for its loop.
     *
     * @return null if there is no such TCP stream, or it has not been looked at twice
     */
    public StreamReason why(long number) {
        TcpStream stream = table.find(number) instanceof TcpStream tcp ? tcp : null;
        WatchedStream watched = stream == null ? null : stream.watched();
        return watched == null ? null : environment.tcp().why(stream.loop(), watched);
    }

    /** Which level runs a stream, and why; null if there is none of that number. Waits for its loop. */
    public Placement explain(long number) {
        Stream stream = table.find(number);
        return stream == null ? null : CompletableFuture.supplyAsync(stream::placement, stream.loop())
                .completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Who serves new streams of a service in the place of this node, as far as is known now; null for nobody. */
    public PoolAssignment handed(int typeId) {
        return environment.pools().now(typeId, deployer.described(typeId));
    }

    /** Where the node listens. */
    public OwnListeners own() {
        return own;
    }

    /** Ends every stream that uses one version of a service. */
    public void end(RunningService service, AnepException why) {
        for (Stream stream : table.all()) {
            stream.loop().execute(() -> {
                if (stream.uses(service)) {
                    stream.fail(why);
                }
            });
        }
    }

    /** Tells nodes before that it takes no new streams, takes none, gives the open ones time to finish, and then ends them. */
    public void drain(Duration time) {
        boolean isTold = told.leave();
        if ((table.leave() || isTold) && !time.isZero()) {
            // Who comes now was sent by a node that has not heard yet: it is served, and not refused.
            await(FAREWELL, () -> false);
        }
        table.stop();
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        for (Stream stream : table.all()) {
            stream.loop().execute(stream::finishUp);
        }
        idle.forEach((loop, connections) -> loop.execute(connections::stop));
        await(time, () -> table.count() + idle.values().stream().mapToInt(IdleConnections::open).sum() == 0);
        List<Future<?>> ending = new ArrayList<>();
        for (Stream stream : table.all()) {
            ending.add(stream.loop().submit(() -> stream.fail(new AnepException(ErrorCode.STOPPING, "the node has stopped"))));
        }
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        ending.forEach(future -> future.awaitUninterruptibly(Math.max(1, (patience - System.nanoTime()) / 1_000_000)));
    }

    /** Waits until something is so, the time is over, or the thread is interrupted. */
    private static void await(Duration time, BooleanSupplier done) {
        long end = System.nanoTime() + time.toNanos();
        while (!done.getAsBoolean() && System.nanoTime() < end) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void close() {
        drain(Duration.ZERO);
        checks.close();
        told.close();
        links.close();
        ports.forEach(UdpPort::close);
    }
}
