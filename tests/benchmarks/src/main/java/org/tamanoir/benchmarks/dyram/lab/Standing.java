package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastNodeAddresses;
import org.tamanoir.lab.MulticastTestbed;

/**
 * What stays for all warm transmissions, as nodes and services do, and is started when it is needed: a node on the core and on each site's
 * router, with the service dyram, and a {@link SiteProgram} for each site and for the source.
 */
final class Standing implements AutoCloseable {
    /** Running ones: that of each site, and the source's as the last. */
    final List<LabProcess> programs = new ArrayList<>();
    final MulticastNodeAddresses at;
    private final MulticastTestbed testbed;
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<NodeProcess> nodes = new ArrayList<>();

    Standing(MulticastTestbed testbed) {
        this.testbed = testbed;
        at = new MulticastNodeAddresses(testbed, false);
    }

    /** Starts what does not run. @throws org.tamanoir.lab.LabException if a node does not get ready, or refuses the service */
    void start(boolean withPrograms) {
        if (nodes.isEmpty()) {
            DebianPackages.require("curl", "curl");
            start(testbed.core(), at.coreLinks());
            testbed.sites().forEach(site -> start(site.router(), at.siteLinks(site)));
        }
        if (withPrograms && programs.isEmpty()) {
            testbed.sites().forEach(site -> programs.add(program(site.router(), at.site(site))));
            programs.add(program(testbed.source(), at.source()));
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

    private static LabProcess program(Host host, String via) {
        return host.start("program", CommandLineTool.java(SiteProgram.class, TamanoirSystem.GROUP, via));
    }

    JvmTime timeOfNodes() {
        return JvmTime.of(nodes.stream().mapToLong(node -> node.tree().root()));
    }

    JvmTime timeOfPrograms() {
        return JvmTime.of(programs.stream().mapToLong(LabProcess::pid));
    }

    /** Ends all of it. */
    void stop() {
        programs.forEach(LabProcess::close);
        programs.clear();
        nodes.forEach(NodeProcess::close);
        nodes.clear();
    }

    @Override
    public void close() {
        stop();
        files.close();
    }
}
