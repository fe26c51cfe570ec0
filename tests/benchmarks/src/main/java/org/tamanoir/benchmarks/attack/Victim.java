package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;

/** A node of some build that is attacked, with a repository that has {@code monitoring}: on loopback, or on a host in front of a slow link. */
final class Victim implements AutoCloseable {
    private static final String ANY_PORT = "127.0.0.1:0";

    final Build build;
    final Workbench workbench = new Workbench();
    /** Where the configuration of the node is, with all that it names. */
    final Path folder = workbench.folder("configuration");
    /** A watch looks at them from a thread of its own. */
    final List<NodeProcess> nodes = new CopyOnWriteArrayList<>();
    private final Lab lab;
    private final Link link;
    private final String repository;
    private Identity program;

    /** Makes the configuration of a node, and in its folder the files that it names. */
    interface Configuration {
        String of(Victim victim) throws IOException;
    }

    /**
     * With a rate, on a host of its own, with its clients; what it sends to {@link #beyond} passes a link of that rate. The link's queue holds more
     * than a socket does, as that of a network card does: so the node is told to wait, and nothing is lost behind its back.
     *
     * @param rate as {@code tc} writes it; null: the node is on loopback
     */
    Victim(Build build, String rate, Configuration configuration) {
        this.build = build;
        try {
            lab = rate == null ? null : Lab.open();
            link = lab == null ? null : lab.link(lab.host("node"), lab.host("beyond"));
            Starter starter = workbench;
            String listen = ANY_PORT;
            List<String> more = new ArrayList<>();
            if (link != null) {
                starter = link.first().host()::start;
                listen = link.first().ipv4().getHostAddress() + ":" + Anep.PORT_DATA;
                more.addAll(List.of("--route", link.ipv4Subnet() + "=direct"));
                link.first().host().run("tc", "qdisc", "add", "dev", link.first().name(), "root", "tbf", "rate", rate, "burst", "16kb",
                        "limit", "16mb");
            }
            RepositoryProcess process = RepositoryProcess.start(build, starter, workbench.folder("repository"));
            process.push("monitoring");
            repository = process.url();
            Path file = Files.writeString(folder.resolve("node.yaml"), configuration.of(this));
            more.addAll(List.of("--repository", repository, "--config", file.toString()));
            nodes.add(NodeProcess.start(build, starter, listen, workbench.folder("node"), more.toArray(String[]::new)));
        } catch (RuntimeException e) {
            close();
            throw e;
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("cannot write a configuration", e);
        }
    }

    /** To be configured with, and asked with; who comes from loopback may do without. */
    String certificates() {
        Authority authority = new Authority(folder, "authority");
        Identity.Files files = authority.certify("node", "IP:127.0.0.1", 1);
        program = new Identity(authority.certify("program", "URI:spiffe://example.org/program", 1));
        return "tls: {certificate: %s, key: %s, authorities: %s, clients: optional}%n"
                .formatted(files.certificate(), files.key(), files.authorities());
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

    /** The node that delivers. */
    NodeProcess node() {
        return nodes.get(0);
    }

    /** An address for receivers on the node's own host, where its clients are too. */
    InetSocketAddress near() {
        return new InetSocketAddress(node().address().getAddress(), 0);
    }

    /** Runs what opens sockets on the node's host. */
    <T> T inside(Callable<T> task) throws Exception {
        return lab == null ? task.call() : link.first().host().inside(task);
    }

    /** A socket behind the link. */
    DatagramChannel beyond() throws Exception {
        return link.second().host().inside(() -> DatagramChannel.open().bind(new InetSocketAddress(link.second().ipv4(), 0)));
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
