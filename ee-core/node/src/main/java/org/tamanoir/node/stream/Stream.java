package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.node.access.Permit;
import org.tamanoir.node.firefly.Flow;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.tcpstate.SampledStream;
import org.tamanoir.node.tcpstate.StreamTimes;
import org.tamanoir.node.trace.StreamSummary;
import org.tamanoir.node.trace.StreamTrace;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.service.Transport;

/**
 * A stream from its first packet to its end: what TCP and UDP have in common. Everything runs on one event loop, but for what says
 * otherwise.
 */
abstract class Stream {
    /** Of a stream that makes nobody wait. */
    private static final StreamTimes NO_TIMES = new StreamTimes();
    /** Octets of what a node adds to a first packet: the node before, hops, an offer and a trace. */
    private static final int ADDED = 16 + 8 + 16 + 32;
    final StreamEnvironment environment;
    final InetSocketAddress peer;
    private final Transport transport;
    private final long number;
    private final EventLoop loop;
    private final long startNanos = System.nanoTime();
    /** Null until the first packet has been read. */
    StreamInfo info;
    /** Null until its services are there. */
    ServiceChain chain;
    /** {@link Permit#ALL} until the access policy was asked. */
    private Permit permit = Permit.ALL;
    private long askedNanos;
    private long waitNanos;
    private AnepException reason;
    private boolean ended;
    /** Null before it flows, or if nobody is told of it. */
    private Flow flow;
    /** Null if it is not recorded. */
    private StreamTrace trace;
    /** Of its connections. */
    final StreamTuning tuning;

    Stream(StreamEnvironment environment, Transport transport, long number, InetSocketAddress peer, EventLoop loop) {
        this.environment = environment;
        this.transport = transport;
        this.number = number;
        this.peer = peer;
        this.loop = loop;
        this.tuning = new StreamTuning(environment);
    }

    /** This node's own number for it. Any thread. */
    final long number() {
        return number;
    }

    final EventLoop loop() {
        return loop;
    }

    final Transport transport() {
        return transport;
    }

    /** Which stream it is; once its first packet has been read. */
    public final SampledStream.Facts facts() {
        return new SampledStream.Facts(number, peer, info.source(), info.destination(), info.next(), info.chain(), startNanos);
    }

    /** Why it has ended; null for a good end. */
    final AnepException reason() {
        return reason;
    }

    /** Whose share of the streams it takes. Any thread. */
    final InetSocketAddress peer() {
        return peer;
    }

    final LoopMemory memory() {
        return environment.memories().apply(loop);
    }

    /**
     * Looks who sends the first packet, and whether the stream is recorded.
     *
     * @param names that the peer has proven by a certificate
     * @return whether it is a listed node, which is believed
     * @throws AnepException while the node is short of something
     */
    final boolean began(Packet first, List<String> names) {
        boolean believed = environment.peers().isListed(peer.getAddress(), names);
        environment.overload().check(environment.peers().isStranger(believed));
        trace = environment.traces().begin(first, believed);
        return believed;
    }

    /** As what the first packet says, with this node's span as the parent of what comes next, if the stream is recorded and the packet has room for it. */
    final StreamInfo recorded(StreamInfo read, Packet first) {
        if (trace != null && (read.options().trace() != null || first.length() + ADDED <= Anep.MAX_PACKET)) {
            read.options().trace(trace.onward());
        }
        return read;
    }

    /** In front of the last step back, one that notes the first packet, if the stream is recorded. */
    final Stage noted(Stage last) {
        StreamTrace noting = trace;
        return noting == null ? last : new Stage(last) {
            @Override
            public void packet(Packet packet) {
                noting.cameBack();
                next().packet(packet);
            }
        };
    }

    /**
     * Gets the services of the stream, or whoever serves it in the place of this node, when it is permitted.
     *
     * @param asked    what the access policy says
     * @param previous the peer of the connection, with the port of its code server or 0; null for a datagram
     * @param fixed    whether a rule says where it goes
     */
    final void serve(CompletableFuture<Permit> asked, InetSocketAddress previous, boolean fixed) {
        askedNanos = System.nanoTime();
        if (trace != null && !asked.isDone()) {
            trace.begins(StreamTrace.WAIT_FOR_PERMIT);
        }
        Executor here = asked.isDone() ? Runnable::run : loop;
        CompletableFuture<StreamEnvironment.Serving> serving = asked.thenComposeAsync(given -> {
            permit = given;
            if (ended) {
                permit.close();
                return CompletableFuture.failedFuture(reason);
            }
            CompletableFuture<StreamEnvironment.Serving> coming = environment.serving(info, previous, fixed);
            if (trace != null && !coming.isDone()) {
                trace.begins(StreamTrace.WAIT_FOR_SERVICE);
            }
            return coming;
        }, here);
        // Never at once: the stream may be under construction.
        serving.whenComplete((got, failure) -> loop.execute(() -> {
            waitNanos = System.nanoTime() - askedNanos;
            if (failure != null) {
                fail(StreamEnvironment.reason(failure));
            } else if (ended) {
                got.unused();
            } else {
                served(got);
            }
        }));
    }

    private void served(StreamEnvironment.Serving serving) {
        try {
            checkNames(serving);
            if (serving.handed() != null) {
                info = info.handedTo(serving.handed());
                environment.pools().pools().count(serving.handed().pool());
            }
            chain = new ServiceChain(info, address -> environment.peers().isListed(address, List.of()), serving.services(), loop, memory(), environment.watch());
            if (trace != null) {
                trace.done(sources(serving.services()));
            }
            connects();
            connect();
        } catch (AnepException e) {
            fail(e);
        }
    }

    /** @throws AnepException EE-216 if a guest's service is another than was thought when the stream was permitted */
    private void checkNames(StreamEnvironment.Serving serving) {
        for (RunningService service : serving.services()) {
            if (!permit.covers(service.typeId(), service.name())) {
                serving.unused();
                throw new AnepException(ErrorCode.NOT_PERMITTED, "the access policy does not let this stream use " + service.name() + ", which Type ID " + Anep.typeName(service.typeId())
                        + " is here");
            }
        }
    }

    /** Where those came from that it has waited for. */
    private Map<String, Object> sources(List<RunningService> services) {
        List<String> sources = services.stream().map(service -> service.sourceSince(askedNanos)).filter(Objects::nonNull).toList();
        return sources.isEmpty() ? Map.of() : Map.of(StreamTrace.SOURCES, sources);
    }

    /**
     * Asks the access policy.
     *
     * @param names that the peer has proven by a certificate
     * @param token that it has shown; null for none
     */
    final CompletableFuture<Permit> ask(List<String> names, String token) {
        InetSocketAddress account = transport == Transport.UDP ? null : new InetSocketAddress(peer.getAddress(), 0);
        return environment.access().ask(peer.getAddress(), names, token, info.destination(), info.chain(), typeId -> environment.source().name(typeId, account));
    }

    /** Its services are there: connects to the next hop. */
    abstract void connect();

    /** It waits for its next hop. */
    final void connects() {
        if (trace != null) {
            trace.begins(StreamTrace.CONNECT);
        }
    }

    /** Its packets can go on. */
    final void opened() {
        if (trace != null) {
            trace.done(Map.of());
        }
        environment.counters().waits().opened(System.nanoTime() - askedNanos);
    }

    /** It goes on by a connection to the next hop. @param from this end of it */
    final void flows(Supplier<InetSocketAddress> from) {
        if (trace != null) {
            trace.done(Map.of());
        }
        told(0, 0);
        flow = environment.fireflies().began(transport, from, info.next());
    }

    private void told(long sent, long received) {
        if (flow != null) {
            environment.fireflies().ended(flow, sent, received);
            flow = null;
        }
    }

    /** Its state in a word. */
    abstract String state();

    /** Whether it has not got so far that anybody would miss it: what is put out first where there are too many. Any thread. */
    abstract boolean isUnanswered();

    /**
     * Looks at the clock: ends the stream if a time is over, gives memory back if it is quiet.
     *
     * @param elapsed nanoseconds since the last time in which this process ran
     */
    abstract void tick(long elapsed);

    /** Octets of memory that it holds though for the packet time-out no packet has become whole and no octet has left; 0 for one that moves. */
    abstract long held();

    /** The node is stopping: a stream that has no end of its own ends now, cleanly. */
    abstract void finishUp();

    /** Ends the stream; its peers are told why where they can be. */
    abstract void fail(AnepException why);

    /** Ends the stream from any thread, and never in the middle of a call. */
    final void failLater(AnepException why) {
        loop.execute(() -> fail(why));
    }

    /** The stream is over; to be called once. @param why null for a good end */
    final void over(AnepException why) {
        reason = why;
        ended = true;
        if (chain != null) {
            chain.close();
        }
        release();
        permit.close();
        StreamStatus last = status();
        told(last.bytesOut(), last.bytesBack());
        if (trace != null) {
            trace.ended(summary(last));
        }
        environment.table().ended(this, last);
    }

    private StreamSummary summary(StreamStatus last) {
        List<String> names = last.services();
        List<String> versions = last.versions();
        List<String> services = IntStream.range(0, names.size()).mapToObj(i -> names.size() == versions.size() ? names.get(i) + " " + versions.get(i) : names.get(i)).toList();
        return new StreamSummary(number, last.id(), last.transport(), last.position(), last.source(), last.destination(), last.next(), services, last.handedTo(),
                last.bytesIn(), last.bytesOut(), last.bytesBack(), last.bytesReturned(), reason == null ? null : reason.code(), last.reason());
    }

    /** Gives back what it holds, and counts what has passed. */
    abstract void release();

    /** What has passed so far, both ways. */
    abstract Traffic traffic();

    /**
     * What has passed, in packets and octets.
     *
     * @param paused whether a peer is being made to wait
     */
    record Traffic(long packetsIn, long bytesIn, long bytesOut, long packetsBack, long bytesBack, long bytesReturned, boolean paused) {
    }

    /** What changes of it from moment to moment. */
    StreamLook look() {
        return look(NO_TIMES, NO_TIMES, 0);
    }

    final StreamLook look(StreamTimes forward, StreamTimes back, long tripMicros) {
        Traffic traffic = traffic();
        long now = System.nanoTime();
        return new StreamLook(number, state(), traffic.bytesIn(), traffic.bytesBack(), forward.pausedNanos(now), back.pausedNanos(now), tripMicros);
    }

    final StreamStatus status() {
        Traffic traffic = traffic();
        boolean known = info != null;
        Resume resume = known ? info.resume() : null;
        return new StreamStatus(number, known ? HexFormat.of().toHexDigits(info.id()) : null, transport.name().toLowerCase(Locale.ROOT), state(),
                known ? info.position().name().toLowerCase(Locale.ROOT) : null, TcpSockets.text(peer),
                known ? TcpSockets.text(info.destination()) : null, known ? TcpSockets.text(info.next()) : null, names(),
                (System.nanoTime() - startNanos) / 1_000_000, waitNanos / 1_000_000, traffic.packetsIn(), traffic.bytesIn(), traffic.bytesOut(),
                traffic.packetsBack(), traffic.bytesBack(), traffic.bytesReturned(), traffic.paused(),
                reason == null ? null : reason.getMessage(), services().stream().map(RunningService::version).toList(),
                known ? info.pool() : null, permit.identity(), permit.because(), resume == null ? null : HexFormat.of().toHexDigits(resume.session()),
                resume == null ? null : resume.epoch(), tuning.rules(), Map.of());
    }

    private List<String> names() {
        return chain != null && info.handed() == null ? chain.names() : info == null ? List.of() : StreamEnvironment.names(info.chain());
    }

    /** What the access policy allows it. */
    final Permit permit() {
        return permit;
    }

    final List<RunningService> services() {
        return chain == null ? List.of() : chain.services();
    }

    /** Whether packets of it go through that version of that service. */
    final boolean uses(RunningService service) {
        return services().contains(service);
    }

    /** What its services say of it, by name. */
    final CompletableFuture<Map<String, Map<String, Object>>> report() {
        return chain == null ? CompletableFuture.completedFuture(Map.of()) : chain.report();
    }

    /** Which level runs it, and why not a lower one. */
    abstract Placement placement();
}
