package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastNodeAddresses;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.MulticastTestbed.Site;

/** A node on the core and one on each site's router, with the service dyram. They stay for all warm transmissions of a bench, as nodes do. */
final class MulticastNodes implements AutoCloseable {
    private final MulticastTestbed testbed;
    private final MulticastNodeAddresses at;
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<NodeProcess> nodes = new ArrayList<>();

    MulticastNodes(MulticastTestbed testbed) {
        this.testbed = testbed;
        this.at = new MulticastNodeAddresses(testbed, false);
    }

    /** Starts them, if they do not run. @throws LabException if one does not get ready, or refuses the service */
    void start() {
        if (!nodes.isEmpty()) {
            return;
        }
        DebianPackages.require("curl", "curl");
        try {
            start(testbed.core(), at.coreLinks());
            for (Site site : testbed.sites()) {
                start(site.router(), at.siteLinks(site));
            }
        } catch (LabException e) {
            stop();
            throw e;
        }
    }

    private void start(Host host, String configuration) {
        Path folder = files.folder(host.name());
        Path file = folder.resolve("node.yaml");
        try {
            Files.writeString(file, configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        NodeProcess node = NodeProcess.start(host::start, "0.0.0.0:" + Anep.PORT_DATA, folder.resolve("data"), "--config", file.toString());
        nodes.add(node);
        // The node's admin API is on its host's own loopback: the client is a program there.
        host.run("curl", "-sSf", "-T", CommandLineTool.bundle("dyram").toString(), node.admin().url() + "/bundles");
    }

    /** Where they are. */
    MulticastNodeAddresses at() {
        return at;
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
