package org.tamanoir.benchmarks.qos.edge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** A QoS session that a command has opened, and what the first node shows of it. */
public final class OpenSession {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final EdgeNode node;

    private OpenSession(String name, EdgeNode node) {
        this.name = name;
        this.node = node;
    }

    /**
     * {@code tamanoir qos open} at a host.
     *
     * @param node  the first one on the path
     * @param whole whether every node of the path must know it
     * @param level the short form: {@code maxDelayMs=10,traffic=100000}
     * @throws LabException if it is refused, or its path is not whole
     */
    public static OpenSession open(Host at, EdgeNode node, InetSocketAddress via, InetSocketAddress to, boolean whole, boolean udp, String level) {
        List<String> arguments = new ArrayList<>(List.of("qos", "open", "--via", text(via), "--to", text(to), "--json"));
        if (udp) {
            arguments.add("--udp");
        }
        arguments.add(level);
        Command.Result result = at.tryRun(PATIENCE, CommandLineTool.command(arguments.toArray(String[]::new)).toArray(String[]::new));
        if (result.exit() != 0) {
            throw new LabException("no session: " + result.errors());
        }
        try {
            JsonNode answer = new ObjectMapper().readTree(result.output());
            if (whole && !answer.path("partial").isNull()) {
                throw new LabException("the path of the session is not whole: " + answer);
            }
            return new OpenSession(answer.path("session").asText(), node);
        } catch (JsonProcessingException e) {
            throw new LabException("qos open printed " + result.output(), e);
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Hexadecimal digits. */
    public String name() {
        return name;
    }

    public long code() {
        return Long.parseUnsignedLong(name, 16);
    }

    /** What the node shows now. */
    public JsonNode shown() {
        return node.get(path());
    }

    private String path() {
        return "/services/qosinus/inspect/session?code=" + name;
    }

    /** Waits until the node shows what is wanted. @throws LabException if it does not in time */
    public JsonNode await(Duration patience, Predicate<JsonNode> wanted) {
        return node.await(path(), patience, wanted);
    }

    /** Waits until its flow is in another class than this one; a flow that is at rest is in none. */
    public JsonNode awaitOtherThan(String className, Duration patience) {
        return await(patience, shown -> shown.path("class").isTextual() && !shown.path("class").asText().equals(className));
    }

    /** Waits until its flow is in a class. */
    public JsonNode awaitClass(String className, Duration patience) {
        return await(patience, shown -> shown.path("class").asText().equals(className));
    }
}
