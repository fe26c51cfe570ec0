package org.tamanoir.service.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;

/**
 * A stream to be opened, from {@link ServiceHarness#stream}: what is not said has a preset.
 *
 * <pre>{@code
 * StreamHarness stream = harness.stream(Position.INGRESS).transport(Transport.UDP).chain(0x5404, 0x5402).destination(to).open();
 * }</pre>
 */
public final class StreamSetup {
    private static final int ANEP_PORT = 3322;

    final Position position;
    Transport transport = Transport.TCP;
    List<Integer> chain = List.of(ServiceHarness.TYPE_ID);
    InetSocketAddress source = address(40_000);
    boolean fromPeer;
    boolean endsHere;
    final Set<InetAddress> peers = new HashSet<>();
    InetSocketAddress destination = address(7_000);
    long id;
    final Map<String, Object> parameters = new HashMap<>();
    private InetSocketAddress next;
    private final ServiceHarness harness;

    StreamSetup(ServiceHarness harness, Position position, long id) {
        this.harness = harness;
        this.position = position;
        this.id = id;
    }

    /** TCP unless it is said. */
    public StreamSetup transport(Transport transport) {
        this.transport = transport;
        return this;
    }

    /** The Type IDs of its services, that of its packets first; {@link ServiceHarness#TYPE_ID} unless it is said. */
    public StreamSetup chain(int first, int... further) {
        this.chain = IntStream.concat(IntStream.of(first), IntStream.of(further)).boxed().toList();
        return this;
    }

    /** The stream's id; one, two, three unless it is said. */
    public StreamSetup id(long id) {
        this.id = id;
        return this;
    }

    public StreamSetup source(InetSocketAddress source) {
        this.source = source;
        return this;
    }

    /** Whether a node that the operator listed sends it; nobody is believed without. */
    public StreamSetup fromPeer() {
        this.fromPeer = true;
        return this;
    }

    /** An address that the operator listed; none is without. */
    public StreamSetup peer(InetAddress address) {
        peers.add(address);
        return this;
    }

    public StreamSetup destination(InetSocketAddress destination) {
        this.destination = destination;
        return this;
    }

    /** Where packets go from here; the destination at the last node, some node before, unless it is said. */
    public StreamSetup next(InetSocketAddress next) {
        this.next = next;
        return this;
    }

    /** The node itself is its destination, and the service, a {@link org.tamanoir.service.FlowSink}, takes it. */
    public StreamSetup endsHere() {
        this.endsHere = true;
        return this;
    }

    /** What its source asks of the service for this stream alone. */
    public StreamSetup parameter(String name, Object value) {
        parameters.put(name, value);
        return this;
    }

    /** Opens it; throws what the service throws. */
    public StreamHarness open() throws Exception {
        return harness.open(this);
    }

    InetSocketAddress next() {
        boolean last = position == Position.EGRESS || position == Position.ONLY;
        return next != null ? next : last ? destination : address(ANEP_PORT);
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
