package org.tamanoir.benchmarks.cluster.distance;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.cluster.site.FrontEnd;
import org.tamanoir.benchmarks.cluster.site.FrontEndMachine;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/**
 * A cluster whose client is somewhere else.
 *
 * <pre>
 *   client ── delay box ── director ──┬── b1        each tamanoir node run
 *                          frontend   ├── b2
 *                          run (nft)  ├── b3
 *                                     └── receiver
 * </pre>
 *
 * <p>The director forwards as well: the direct way from client to receiver crosses the same links. Its engine is that of nftables, in the kernel of
 * this machine; IPVS would be in user-mode Linux, which is slower than what is measured here.
 */
final class DistanceLab implements AutoCloseable {
    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final DelayBox box;
    private final InetSocketAddress cluster;
    private final LoadSender sender;
    private final LoadSink sink;

    /** Starts everything; all back ends are in when this returns. @param oneWay from the client to the director, and back */
    DistanceLab(Duration oneWay) {
        try {
            Host client = lab.host("client");
            Host director = lab.host("director");
            box = new DelayBox(lab.host("delay"), oneWay);
            Link way = lab.link(client, box, director, LinkOptions.DEFAULT);
            box.start();
            Bridge inner = lab.bridge(director, LinkOptions.DEFAULT);
            director.forward(true);
            client.route(inner.ipv4Subnet(), way.second().ipv4());
            cluster = new InetSocketAddress(way.second().ipv4(), ClusterSite.PORT);
            Port receiver = join(inner, "receiver");
            sender = LoadSender.start(command -> client.start("sender", command));
            sink = LoadSink.start(command -> receiver.host().start("sink", command), receiver.ipv4());
            FrontEnd frontEnd = new FrontEnd(FrontEndMachine.of(director, files.folder("frontend")), "director", FrontEnd.url(inner.port().ipv4()), director)
                    .configure("engine: nft\npools: {default: {addresses: [" + way.second().ipv4().getHostAddress() + "]}}\n").start();
            List<String> backEnds = List.of("b1", "b2", "b3");
            backEnds.forEach(name -> startBackEnd(join(inner, name), FrontEnd.url(inner.port().ipv4()), receiver));
            frontEnd.awaitReady();
            backEnds.forEach(frontEnd::awaitIn);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Port join(Bridge inner, String name) {
        Port port = inner.join(lab.host(name));
        port.host().route("default", inner.port().ipv4());
        return port;
    }

    private void startBackEnd(Port port, String frontEnd, Port receiver) {
        String name = port.host().name();
        NodeProcess.start(port.host(), files.folder(name), "listen: '0.0.0.0:" + ClusterSite.PORT + "'\nkernel: {use: off}\nroutes: {" + receiver.ipv4().getHostAddress()
                + "/32: direct}\ncluster: {name: " + name + ", address: " + port.ipv4().getHostAddress() + ", frontends: ['" + frontEnd + "'], token: "
                + FrontEnd.TOKEN + ", virtual-addresses: [0.0.0.0/0]}\n").deploy(CommandLineTool.bundle("monitoring"));
    }

    /** Streams from the client to the receiver. @param direct past the cluster */
    StreamRun streams(boolean direct, int packet, int streams) {
        return new StreamRun(sender, sink, direct ? sink.load() : cluster, List.of(), packet, streams);
    }

    /** Frames that the box had no room for, since its start. */
    long dropped() {
        return box.count().dropped();
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
