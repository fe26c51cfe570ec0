package org.tamanoir.service.testkit;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Commanded;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.link.LinkService;

/**
 * Runs one service as a node would: starts it with options, opens streams, stops it. Use from one thread.
 *
 * <pre>{@code
 * try (ServiceHarness harness = ServiceHarness.start(new Upper(), Map.of("level", 3));
 *         StreamHarness stream = harness.open(Position.INGRESS)) {
 *     Packet upper = stream.toDestination("hello".getBytes(US_ASCII)).only();
 *     assertThat(harness.metrics().value("packets")).isEqualTo(1);
 * }
 * }</pre>
 *
 * <p>A service that finds something when it starts, such as what it has kept, is prepared first:
 *
 * <pre>{@code
 * ServiceHarness harness = ServiceHarness.of(new Sessions(), Map.of()).store(before.store()).partner(0x5408, decision).start();
 * }</pre>
 */
public final class ServiceHarness implements AutoCloseable {
    /** The Type ID of the streams: the first of those that are free for services that others write. */
    public static final int TYPE_ID = 0x5500;

    private final ActiveService service;
    private final HarnessService context;
    private final List<StreamHarness> streams = new ArrayList<>();
    private final List<LinkHarness> links = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private long lastId;

    private ServiceHarness(ActiveService service, Map<String, ?> options) {
        this.service = service;
        this.context = new HarnessService(service.getClass().getSimpleName().toLowerCase(Locale.ROOT),
                new MapConfiguration("options", options), time);
    }

    /**
     * A service that is still to be started.
     *
     * @param options its options by name; numbers and texts
     */
    public static ServiceHarness of(ActiveService service, Map<String, ?> options) {
        return new ServiceHarness(service, options);
    }

    /**
     * Starts a service.
     *
     * @param options its options by name; numbers and texts
     * @throws Exception what its {@code start} throws; an option with a bad value is EE-501
     */
    public static ServiceHarness start(ActiveService service, Map<String, ?> options) throws Exception {
        return of(service, options).start();
    }

    /** What the version before has handed over; before {@link #start()}. */
    public ServiceHarness inherited(Map<String, Object> values) {
        context.inherited = Map.copyOf(values);
        return this;
    }

    /** What was kept before, such as the store of another harness; before {@link #start()}. */
    public ServiceHarness store(RecordedStore store) {
        context.store = store;
        return this;
    }

    /** The blocks that were kept before; before {@link #start()}. */
    public ServiceHarness blocks(RecordedBlocks blocks) {
        context.blocks = blocks;
        return this;
    }

    /** The node that it runs on; before {@link #start()}. */
    public ServiceHarness node(NodeFacts node) {
        context.node = node;
        return this;
    }

    /**
     * Another service that it works with, or another version of it, from now on. A service that is no instance of the contract which is asked
     * for is not there, as in a node.
     *
     * @param partner null if it is not there any more
     */
    public ServiceHarness partner(int typeId, Object partner) {
        context.partners.give(typeId, partner);
        return this;
    }

    /**
     * The server that an option of the service names; before {@link #start()}.
     *
     * @param option that the service asks for, such as {@code collector}; it need not be among the options of the harness
     */
    public ServiceHarness server(String option, RecordedServer server) {
        context.servers.put(option, server);
        return this;
    }

    /** Starts it, once; throws what its {@code start} throws. */
    public ServiceHarness start() throws Exception {
        time.add(context.timers::untilDue, () -> context.timers.take().run());
        time.add(context.store::untilDue, context.store::keep);
        time.add(now -> context.blocks.untilDue(), context.blocks::next);
        time.add(context.probes::untilDue, context.probes::tell);
        time.add(context.flows::untilDue, context.flows::tell);
        time.add(context.tcp::untilDue, context.tcp::tell);
        context.servers.values().forEach(server -> {
            server.on(time);
            time.add(server::untilDue, server::act);
        });
        service.start(context);
        return this;
    }

    /** Opens a TCP stream. */
    public StreamHarness open(Position position) throws Exception {
        return open(position, Transport.TCP);
    }

    /** Opens a stream. */
    public StreamHarness open(Position position, Transport transport) throws Exception {
        return stream(position).transport(transport).open();
    }

    /** Opens a stream from somewhere to somewhere, whose packets have a Type ID. */
    public StreamHarness open(Position position, Transport transport, InetSocketAddress source, InetSocketAddress destination, int typeId)
            throws Exception {
        return stream(position).transport(transport).source(source).destination(destination).chain(typeId).open();
    }

    /** A stream whose addresses, chain and id the test says. */
    public StreamSetup stream(Position position) {
        return new StreamSetup(this, position, ++lastId);
    }

    StreamHarness open(StreamSetup setup) throws Exception {
        StreamTasks tasks = new StreamTasks(time);
        HarnessStream stream = new HarnessStream(setup, context, time, tasks);
        StreamHarness harness = new StreamHarness(stream, setup.endsHere ? ((FlowSink) service).openSink(stream) : service.open(stream), time, tasks);
        time.add(tasks::untilDue, harness::runTask);
        streams.add(harness);
        return harness;
    }

    /**
     * Opens a handler of a {@link LinkService}.
     *
     * @param groups     whether the node has an interface for groups
     * @param neighbours the nodes next to it
     * @throws Exception what the service throws
     */
    public LinkHarness openLinks(boolean groups, InetSocketAddress... neighbours) throws Exception {
        if (!(service instanceof LinkService linked)) {
            throw new IllegalStateException(service.getClass().getName() + " is no LinkService");
        }
        LinkHarness harness = new LinkHarness(linked, context, time, groups, neighbours);
        time.add(harness::untilDue, harness::runTimer);
        links.add(harness);
        return harness;
    }

    /** Lets time pass for the service and all its streams and links; {@link StreamHarness#advance} says what that means. */
    public void advance(Duration by) throws Exception {
        time.advance(by);
    }

    /** Asks it as an operator does. */
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!(service instanceof Inspected inspected)) {
            throw new IllegalStateException(service.getClass().getName() + " is not Inspected");
        }
        return inspected.inspect(what, parameters);
    }

    /** Has it do something, as an operator does. */
    public Map<String, Object> command(String what, Map<String, String> parameters) {
        if (!(service instanceof Commanded commanded)) {
            throw new IllegalStateException(service.getClass().getName() + " is not Commanded");
        }
        return commanded.command(what, parameters);
    }

    /**
     * Gives it other options, as a node does whose configuration has changed.
     *
     * @return whether it goes on with them
     * @throws Exception what it throws; an option that it has not asked for is EE-501
     */
    public boolean reconfigure(Map<String, ?> options) throws Exception {
        MapConfiguration changed = new MapConfiguration("options", options);
        boolean goesOn = service.reconfigure(changed);
        if (goesOn) {
            changed.checkAllAsked();
        }
        return goesOn;
    }

    public RecordedMetrics metrics() {
        return context.metrics();
    }

    /** The rules that it has put. */
    public RecordedRules rules() {
        return context.rules();
    }

    /** What it keeps. */
    public RecordedStore store() {
        return context.store();
    }

    /** What the service keeps as blocks. */
    public RecordedBlocks blocks() {
        return context.blocks();
    }

    /** Whether the disk refuses what is put from now on, with EE-813. */
    public void failStore(boolean fails) {
        context.store().fail(fails);
    }

    /** What it sends to measure the way to other nodes. */
    public RecordedProbes probes() {
        return context.probes();
    }

    /** What it sends to measure what TCP carries. */
    public RecordedFlows flows() {
        return context.flows();
    }

    /** The connections that it has opened. */
    public RecordedConnections connections() {
        return context.connections();
    }

    /** The workers that it has started. */
    public RecordedWorkers workers() {
        return context.workers();
    }

    /** The TCP streams that it follows. */
    public RecordedTcp tcp() {
        return context.tcp();
    }

    /** The Type IDs of partners that it has asked for while they were not there. */
    public Set<Integer> wanted() {
        return context.partners.wanted();
    }

    /** Timers of the service itself that wait. */
    public int timers() {
        return context.timers.count();
    }

    /** Closes what is still open, then stops the service. */
    @Override
    public void close() {
        streams.forEach(StreamHarness::close);
        links.forEach(LinkHarness::close);
        context.timers.close();
        context.probes.close();
        context.flows.close();
        context.tcp.close();
        context.connections.close();
        context.workers.close();
        service.stop();
    }
}
