package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Link;

/** A node of some build that is attacked, with a repository that has {@code monitoring}: on loopback, or on a host in front of a slow link. */
final class Victim implements AutoCloseable {
    private static final String ANY_PORT = "127.0.0.1:0";

    private final Build build;
    private final Workbench workbench = new Workbench();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final Lab lab;
    private final Link link;
    private String repository;
    private Identity program;

    private Victim(Build build, Lab lab, Link link) {
        this.build = build;
        this.lab = lab;
        this.link = link;
    }

    /** @param streams how many the node takes, of one source too; 0: what it takes by itself */
    static Victim onLoopback(Build build, int streams) {
        return onLoopback(build, folder -> limits(streams));
    }

    /** The same with certificates; who comes from loopback may do without. */
    static Victim byTls(Build build, int streams) {
        Identity[] program = new Identity[1];
        Victim victim = onLoopback(build, folder -> {
            Authority authority = new Authority(folder, "authority");
            Identity.Files files = authority.certify("node", "IP:127.0.0.1", 1);
            program[0] = new Identity(authority.certify("program", "URI:spiffe://example.org/program", 1));
            return limits(streams) + "tls: {certificate: %s, key: %s, authorities: %s, clients: optional}%n"
                    .formatted(files.certificate(), files.key(), files.authorities());
        });
        victim.program = program[0];
        return victim;
    }

    /** Writes the configuration of a node, and files that it names into a folder. */
    interface Configuration {
        String in(Path folder) throws IOException;
    }

    static Victim onLoopback(Build build, Configuration configuration) {
        Victim victim = new Victim(build, null, null);
        return victim.started(() -> {
            victim.startRepository(victim.workbench);
            victim.nodes.add(NodeProcess.start(build, victim.workbench, ANY_PORT, victim.workbench.folder("node"), "--repository", victim.repository,
                    "--config", victim.written(configuration).toString()));
        });
    }

    /**
     * On a host of its own, with its clients; what it sends to {@link #beyond} passes a link of some rate. The link's queue holds more than a
     * socket does, as that of a network card does: so the node is told to wait, and nothing is lost behind its back.
     *
     * @param rate as {@code tc} writes it
     */
    static Victim beforeALink(Build build, String rate) {
        Lab lab = Lab.open();
        Link link = lab.link(lab.host("node"), lab.host("beyond"));
        link.first().host().run("tc", "qdisc", "add", "dev", link.first().name(), "root", "tbf", "rate", rate, "burst", "16kb", "limit", "16mb");
        Victim victim = new Victim(build, lab, link);
        return victim.started(() -> {
            Starter starter = link.first().host()::start;
            victim.startRepository(starter);
            victim.nodes.add(NodeProcess.start(build, starter, link.first().ipv4().getHostAddress() + ":" + Anep.PORT_DATA,
                    victim.workbench.folder("node"), "--repository", victim.repository, "--route", link.ipv4Subnet() + "=direct"));
        });
    }

    private Victim started(Runnable start) {
        try {
            start.run();
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void startRepository(Starter starter) {
        RepositoryProcess process = RepositoryProcess.start(build, starter, workbench.folder("repository"));
        process.push("monitoring");
        repository = process.url();
    }

    private static String limits(int streams) {
        return streams == 0 ? "" : "limits:\n  streams: " + streams + "\n  streams-per-source: " + streams + "\n";
    }

    private Path written(Configuration configuration) {
        Path folder = workbench.folder("configuration");
        try {
            return Files.writeString(folder.resolve("node.yaml"), configuration.in(folder));
        } catch (IOException e) {
            throw new LabException("cannot write a configuration", e);
        }
    }

    /** One more node, which sends everything to the first one. */
    NodeProcess addBefore() {
        NodeProcess node = NodeProcess.start(build, workbench, ANY_PORT, workbench.folder("node" + nodes.size()), "--repository", repository,
                "--route", "127.0.0.0/8=127.0.0.1:" + node().address().getPort());
        nodes.add(node);
        return node;
    }

    /** By which the node is asked, if it has certificates; null otherwise. */
    SSLContext tls() {
        return program == null ? null : program.sslContext(any -> false);
    }

    Build build() {
        return build;
    }

    Workbench workbench() {
        return workbench;
    }

    /** The node that delivers. */
    NodeProcess node() {
        return nodes.get(0);
    }

    List<NodeProcess> nodes() {
        return List.copyOf(nodes);
    }

    /** An address for receivers on the node's own host, where its clients are too. */
    InetSocketAddress near() {
        return new InetSocketAddress(node().address().getAddress(), 0);
    }

    /** An address for a receiver behind the link. */
    InetSocketAddress beyond() {
        return new InetSocketAddress(link.second().ipv4(), 0);
    }

    /** Runs what opens sockets on the node's host. */
    <T> T inside(Callable<T> task) throws Exception {
        return lab == null ? task.call() : link.first().host().inside(task);
    }

    /** Runs what opens sockets behind the link. */
    <T> T insideBeyond(Callable<T> task) throws Exception {
        Host host = link.second().host();
        return host.inside(task);
    }

    @Override
    public void close() {
        if (program != null) {
            program.close();
        }
        if (lab != null) {
            lab.close();
        }
        workbench.close();
    }
}
