package org.tamanoir.benchmarks.relay;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.identity.Authority;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;

/**
 * Client, relay and server in a line, with the sender on the client and the sink on the server; for TLS there are two places for relays, and relays speak TLS
 * with each other. Their hosts are plain IP routers as well: that is how {@code direct} goes, over the same wires as everything else.
 */
final class RelayTestbed implements AutoCloseable {
    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<Station> stations;
    private final Link delivery;
    private final LoadSender sender;
    private final LoadSink sink;
    private int ports = 7000;

    /** @param tls whether relays stand in pairs and speak TLS with each other */
    RelayTestbed(boolean tls) {
        try {
            Host client = lab.host("client");
            Host node = lab.host("node");
            Host far = tls ? lab.host("far") : node;
            Host server = lab.host("server");
            Link access = lab.link(client, node);
            delivery = lab.link(far, server);
            node.forward(true);
            client.route(delivery.ipv4Subnet(), access.second().ipv4());
            server.route(access.ipv4Subnet(), delivery.first().ipv4());
            stations = tls ? pair(access, node, far) : List.of(new Station(node, access.second().ipv4(), Optional.empty(), Optional.empty()));
            sender = LoadSender.start(command -> client.start("sender", command));
            sink = LoadSink.start(command -> server.start("sink", command), delivery.second().ipv4());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private List<Station> pair(Link access, Host node, Host far) {
        Link between = lab.link(node, far);
        InetAddress nodeAddress = between.first().ipv4();
        InetAddress farAddress = between.second().ipv4();
        far.forward(true);
        node.route(delivery.ipv4Subnet(), farAddress);
        far.route(access.ipv4Subnet(), nodeAddress);
        Authority authority = new Authority(files.folder("certificates"), "authority");
        return List.of(new Station(node, access.second().ipv4(), Optional.empty(), Optional.of(authority.certify("near", "IP:" + nodeAddress.getHostAddress(), 1))),
                new Station(far, farAddress, Optional.of(authority.certify(Station.FAR, "IP:" + farAddress.getHostAddress() + ",DNS:" + Station.FAR, 1)), Optional.empty()));
    }

    /** Where relays run, in the order in which a stream passes them. */
    List<Station> stations() {
        return stations;
    }

    /** The subnet of the server. */
    String serverSubnet() {
        return delivery.ipv4Subnet();
    }

    LoadSender sender() {
        return sender;
    }

    LoadSink sink() {
        return sink;
    }

    /** The stations in the order in which they start: each knows where the next one listens. */
    List<Station> backwards() {
        List<Station> backwards = new ArrayList<>(stations);
        Collections.reverse(backwards);
        return backwards;
    }

    /** Starts a relay at every station; they end with the testbed. @param relay starts one, with a folder of its own */
    RelaySystem start(RelayKind kind, BiFunction<Station.Ways, Path, LabProcess> relay) {
        List<ProcessTree> processes = new ArrayList<>();
        InetSocketAddress load = sink.load();
        InetSocketAddress echo = sink.echo();
        for (Station station : backwards()) {
            // Ports that no other relay has; the namespaces are ours, so nobody else has them either.
            Station.Ways ways = new Station.Ways(station, new InetSocketAddress(station.address(), ports++), load, new InetSocketAddress(station.address(), ports++), echo);
            processes.add(new ProcessTree(relay.apply(ways, folder(kind + "-" + station.address().getHostAddress())).pid()));
            load = ways.load();
            echo = ways.echo();
        }
        sender.reach(load);
        sender.reach(echo);
        return new RelaySystem(kind, load, echo, processes);
    }

    /** A folder of its own for a relay. */
    Path folder(String name) {
        return files.folder(name);
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
