package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.Site;

/**
 * A node on the core and one on each site's router, each the neighbour of those that it has a link to, with the service dyram. They stay for
 * all warm transmissions of a bench, as nodes do.
 */
final class MulticastNodes implements AutoCloseable {
    private static final String SERVICE = "dyram";
    private static final int PATIENCE_MILLIS = 60_000;

    private final MulticastTestbed testbed;
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<NodeProcess> nodes = new ArrayList<>();

    MulticastNodes(MulticastTestbed testbed) {
        this.testbed = testbed;
    }

    /** Starts them, if they do not run. @throws LabException if one does not get ready, or refuses the service */
    void start() {
        if (!nodes.isEmpty()) {
            return;
        }
        try {
            nodes.add(start(testbed.core(), testbed.sites().stream().map(site -> address(site.backbone().second().ipv4().getHostAddress()))
                    .collect(Collectors.joining(", ")), ""));
            for (Site site : testbed.sites()) {
                nodes.add(start(site.router(), address(site.backbone().first().ipv4().getHostAddress()), "  interface: " + Bridge.NAME + "\n"));
            }
        } catch (LabException e) {
            stop();
            throw e;
        }
    }

    private NodeProcess start(Host host, String neighbours, String more) {
        Path folder = files.folder(host.name());
        Path configuration = folder.resolve("node.yaml");
        try {
            Files.writeString(configuration, "links:\n  neighbours: [" + neighbours + "]\n  members: " + Lab.PREFIXES + "\n" + more);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        NodeProcess node = NodeProcess.start(host::start, address("0.0.0.0"), folder.resolve("data"), "--config", configuration.toString());
        deploy(host, node);
        return node;
    }

    /** The node's admin API is on its host's own loopback, so the call is made there: on the thread that was moved, over a connection of its own. */
    private static void deploy(Host host, NodeProcess node) {
        try {
            int status = host.inside(() -> put(URI.create(node.admin().url() + "/bundles"), CommandLineTool.bundle(SERVICE)));
            if (status >= HttpURLConnection.HTTP_BAD_REQUEST) {
                throw new LabException("the node on " + host.name() + " does not take the service: it answers " + status);
            }
        } catch (LabException e) {
            throw e;
        } catch (Exception e) {
            throw new LabException("the node on " + host.name() + " does not answer", e);
        }
    }

    private static int put(URI to, Path bundle) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) to.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(PATIENCE_MILLIS);
        connection.setReadTimeout(PATIENCE_MILLIS);
        connection.setRequestMethod("PUT");
        connection.setRequestProperty("Connection", "close");
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(Files.size(bundle));
        try (OutputStream out = connection.getOutputStream()) {
            Files.copy(bundle, out);
        }
        return connection.getResponseCode();
    }

    private static String address(String host) {
        return host + ":" + Anep.PORT_DATA;
    }

    LongStream pids() {
        return nodes.stream().mapToLong(node -> node.tree().root());
    }

    /** Ends them; they are restarted when they are needed. */
    void stop() {
        nodes.forEach(NodeProcess::close);
        nodes.clear();
    }

    @Override
    public void close() {
        stop();
        files.close();
    }
}
