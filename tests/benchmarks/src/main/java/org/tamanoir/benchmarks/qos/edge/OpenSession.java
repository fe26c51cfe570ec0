package org.tamanoir.benchmarks.qos.edge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * A QoS session that a command has opened at a host, and what the first node shows of it.
 *
 * @param path arguments of the command
 * @param name hexadecimal digits
 */
public record OpenSession(Host at, NodeProcess node, List<String> path, String name) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * {@code tamanoir qos open} at a host.
     *
     * @param node  the first one on the path
     * @param whole whether every node of the path must know it
     * @param level the short form: {@code maxDelayMs=10,traffic=100000}
     * @throws LabException if it is refused, or its path is not whole
     */
    public static OpenSession open(Host at, NodeProcess node, InetSocketAddress via, InetSocketAddress to, boolean whole, boolean udp, String level) {
        List<String> path = new ArrayList<>(List.of("--via", EdgeNetwork.text(via), "--to", EdgeNetwork.text(to)));
        if (udp) {
            path.add("--udp");
        }
        Command.Result result = at.tryRun(PATIENCE, command("qos open --json", path, level).toArray(String[]::new));
        if (result.exit() != 0) {
            throw new LabException("no session: " + result.errors());
        }
        try {
            JsonNode answer = new ObjectMapper().readTree(result.output());
            if (whole && !answer.path("partial").isNull()) {
                throw new LabException("the path of the session is not whole: " + answer);
            }
            return new OpenSession(at, node, path, answer.path("session").asText());
        } catch (JsonProcessingException e) {
            throw new LabException("qos open printed " + result.output(), e);
        }
    }

    private static List<String> command(String words, List<String> path, String... more) {
        List<String> arguments = new ArrayList<>(List.of(words.split(" ")));
        arguments.addAll(path);
        Collections.addAll(arguments, more);
        return CommandLineTool.command(arguments.toArray(String[]::new));
    }

    /**
     * {@code tamanoir send} in the session: a file of holes, as octets or datagrams.
     *
     * @param folder  for the file
     * @param rate    bits a second
     * @param seconds that it lasts
     * @param options of {@code send} besides, with blanks between them
     */
    public LabProcess send(Path folder, double rate, double seconds, String options) {
        Path file = folder.resolve(name);
        try (RandomAccessFile holes = new RandomAccessFile(file.toFile(), "rw")) {
            holes.setLength((long) (rate / 8 * seconds));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return at.start("send", command("send " + options, path, "--session", name, "--rate", Long.toString((long) rate), file.toString()));
    }

    public long code() {
        return Long.parseUnsignedLong(name, 16);
    }

    /** What the node shows now. */
    public JsonNode shown() {
        return await(PATIENCE, shown -> true);
    }

    /** Waits until the node shows what is wanted. @throws LabException if it does not in time */
    public JsonNode await(Duration patience, Predicate<JsonNode> wanted) {
        return node.await("/services/qosinus/inspect/session?code=" + name, patience, wanted);
    }

    /** Waits until the services of QoSinus are there and have samples of every class. */
    public void awaitMeasured() {
        await(PATIENCE, shown -> shown.path("state").asText().equals("met"));
    }

    /** Waits until its flow is in another class than this one; a flow that is at rest is in none. */
    public void awaitOtherThan(String className, Duration patience) {
        await(patience, shown -> shown.path("class").isTextual() && !shown.path("class").asText().equals(className));
    }

    /** Waits until its flow is in a class. */
    public void awaitClass(String className, Duration patience) {
        await(patience, shown -> shown.path("class").asText().equals(className));
    }
}
