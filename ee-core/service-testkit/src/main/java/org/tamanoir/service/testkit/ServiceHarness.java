package org.tamanoir.service.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;
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
 */
public final class ServiceHarness implements AutoCloseable {
    /** The Type ID of the streams: the first of those that are free for services that others write. */
    public static final int TYPE_ID = 0x5500;

    private final ActiveService service;
    private final Service context;
    private final List<StreamHarness> streams = new ArrayList<>();
    private final List<LinkHarness> links = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private long lastId;

    private ServiceHarness(ActiveService service, Service context) {
        this.service = service;
        this.context = context;
    }

    /**
     * Starts a service.
     *
     * @param options its options by name; numbers and texts
     * @throws Exception what its {@code start} throws; an option with a bad value is EE-501
     */
    public static ServiceHarness start(ActiveService service, Map<String, ?> options) throws Exception {
        Service context = new Service(service.getClass().getSimpleName().toLowerCase(Locale.ROOT), "1.0.0",
                new MapConfiguration("options", options), new RecordedMetrics(), new RecordedRules());
        service.start(context);
        return new ServiceHarness(service, context);
    }

    /** Opens a TCP stream. */
    public StreamHarness open(Position position) throws Exception {
        return open(position, Transport.TCP);
    }

    /** Opens a stream. */
    public StreamHarness open(Position position, Transport transport) throws Exception {
        StreamTasks tasks = new StreamTasks(time);
        Stream stream = new Stream(++lastId, TYPE_ID, List.of(TYPE_ID), transport, position, address(40_000), address(7_000), context, time,
                tasks);
        StreamHarness harness = new StreamHarness(stream, service.open(stream), time, tasks);
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

    /** Lets time pass for all streams and links; {@link StreamHarness#advance} says what that means. */
    public void advance(Duration by) throws Exception {
        time.advance(by);
    }

    public RecordedMetrics metrics() {
        return context.metrics();
    }

    /** The rules that it has put. */
    public RecordedRules rules() {
        return context.rules();
    }

    /** Closes what is still open, then stops the service. */
    @Override
    public void close() {
        streams.forEach(StreamHarness::close);
        links.forEach(LinkHarness::close);
        service.stop();
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private record Service(String name, String version, Configuration configuration, RecordedMetrics metrics, RecordedRules rules)
            implements ServiceContext {

    @Override
    public org.tamanoir.service.NodeFacts node() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.Timer later(java.time.Duration delay, Runnable task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.Store store() {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.probe.Probes probes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> org.tamanoir.service.Partner<T> partner(int typeId, Class<T> contract) {
        throw new UnsupportedOperationException();
    }
        @Override
        public Logger logger() {
            return LoggerFactory.getLogger("tamanoir.service." + name);
        }
    }

    private record Stream(long id, int typeId, List<Integer> chain, Transport transport, Position position, InetSocketAddress source,
            InetSocketAddress destination, ServiceContext service, VirtualTime time, StreamTasks tasks) implements StreamContext {

        @Override
        public InetSocketAddress next() {
            return destination;
        }

        @Override
        public boolean pauseSource(boolean pause) {
            throw new UnsupportedOperationException();
        }
        @Override
        public long nanoTime() {
            return time.nanos();
        }

        @Override
        public boolean execute(Task task) {
            return tasks.execute(task);
        }

        @Override
        public Timer later(Duration delay, Task task) {
            return tasks.later(delay, task);
        }
    }
}
