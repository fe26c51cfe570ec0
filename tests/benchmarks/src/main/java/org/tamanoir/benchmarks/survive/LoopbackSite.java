package org.tamanoir.benchmarks.survive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** Nodes beside each other, and ways through them, all processes of their own on loopback. */
final class LoopbackSite implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ANY = "127.0.0.1:0";
    /** What the launcher gives a gateway and an endpoint, and not a bench. */
    private static final List<String> HEAP = List.of("-Xms32m", "-XX:NewSize=16m", "-XX:MaxNewSize=16m");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Workbench workbench = new Workbench();
    private final String service;
    final List<NodeProcess> nodes = new ArrayList<>();

    /** @param service of every stream, which every node gets before the first */
    LoopbackSite(int count, String service) {
        this.service = service;
        try {
            for (int i = 0; i < count; i++) {
                NodeProcess node = NodeProcess.start(workbench, ANY, workbench.folder("node" + i));
                nodes.add(node);
                node.deploy(CommandLineTool.bundle(service));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A gateway whose connections end with their node. */
    Way ordinary(InetSocketAddress server) {
        return gateway(server, null, List.of());
    }

    /**
     * A gateway and an endpoint whose connections outlive nodes.
     *
     * @param jvm     options of both JVMs beside those of this one
     * @param options of both commands
     */
    Way resuming(InetSocketAddress server, List<String> jvm, String... options) {
        List<String> words = new ArrayList<>(List.of("endpoint", "--drain", "0", "--listen", ANY, "--to", text(server)));
        words.addAll(List.of(options));
        LabProcess endpoint = workbench.start("endpoint", CommandLineTool.commandWith(Command.append(HEAP, jvm), words.toArray(String[]::new)));
        List<String> more = new ArrayList<>(List.of("--resume"));
        more.addAll(List.of(options));
        return gateway(address(endpoint.awaitLine("READY endpoint ", PATIENCE)), endpoint, jvm, more.toArray(String[]::new));
    }

    private Way gateway(InetSocketAddress to, LabProcess endpoint, List<String> jvm, String... options) {
        InetSocketAddress status = FreePort.on("127.0.0.1");
        List<String> words = new ArrayList<>(List.of("gateway", "--drain", "0", "--check", "0", "--listen", ANY, "--status", text(status), "--to", text(to), "--service", service));
        nodes.forEach(node -> words.addAll(List.of("--via", text(node.address()))));
        words.addAll(List.of(options));
        LabProcess gateway = workbench.start("gateway", CommandLineTool.commandWith(Command.append(HEAP, jvm), words.toArray(String[]::new)));
        return new Way(address(gateway.awaitLine("READY gateway ", PATIENCE)), "http://" + text(status) + "/status", gateway, endpoint);
    }

    private static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }

    /** Of a line {@code READY … 127.0.0.1:40001}. */
    private static InetSocketAddress address(String ready) {
        URI uri = URI.create("tcp://" + ready.split(" ")[2]);
        return new InetSocketAddress(uri.getHost(), uri.getPort());
    }

    /**
     * From programs to their server.
     *
     * @param entry    where programs connect
     * @param endpoint null where the last node connects to the server
     */
    record Way(InetSocketAddress entry, String statusUrl, LabProcess gatewayProcess, LabProcess endpointProcess) implements AutoCloseable {
        /** The processes of its ends. */
        List<ProcessTree> processes() {
            return endpointProcess == null ? List.of(gateway()) : List.of(gateway(), endpoint());
        }

        ProcessTree gateway() {
            return new ProcessTree(gatewayProcess.pid());
        }

        ProcessTree endpoint() {
            return new ProcessTree(endpointProcess.pid());
        }

        /** What the gateway says of itself. */
        JsonNode status() {
            try (InputStream in = URI.create(statusUrl).toURL().openStream()) {
                return MAPPER.readTree(in);
            } catch (IOException e) {
                throw new UncheckedIOException("the gateway's status", e);
            }
        }

        @Override
        public void close() {
            gatewayProcess.close();
            if (endpointProcess != null) {
                endpointProcess.close();
            }
        }
    }

    @Override
    public void close() {
        workbench.close();
    }
}
