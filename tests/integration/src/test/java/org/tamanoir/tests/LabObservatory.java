package org.tamanoir.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.paths.wire.SampleLine;

/** {@code observatory run} on a host of a laboratory, by TLS: theodolites and whoever asks show certificates. What it keeps it also writes to a file, which the test reads. */
final class LabObservatory implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NODES = "spiffe://example.org/node/";
    private static final String OPERATOR = "spiffe://example.org/operator/test";

    private final Host host;
    private final Path directory;
    private final Authority authority;
    private final Identity.Files own;
    private final Identity.Files operator;
    private final Path published;
    private String address;
    private LabProcess process;

    /** @param directory of its own */
    LabObservatory(Host host, InetAddress address, Path directory) throws IOException {
        this.host = host;
        this.address = address.getHostAddress() + ":0";
        this.directory = Files.createDirectories(directory);
        this.published = directory.resolve("samples.ndjson");
        authority = new Authority(directory, "ca");
        own = authority.certify("observatory", "IP:" + address.getHostAddress(), 20);
        operator = authority.certify("operator", "URI:" + OPERATOR, 20);
        begin();
    }

    /** Starts it, again with what it had on the disk. */
    void begin() {
        process = host.start("observatory", CommandLineTool.command("observatory", "run", "--listen", address, "--data", directory.resolve("data").toString(), "--publish-file", published.toString(),
                "--certificate", own.certificate().toString(), "--key", own.key().toString(), "--authorities", own.authorities().toString(), "--theodolite", NODES + "*", "--operator", OPERATOR));
        address = process.awaitLine("READY observatory https://", PATIENCE).substring("READY observatory https://".length());
    }

    /** SIGKILL. */
    void kill() {
        process.kill();
    }

    String url() {
        return "https://" + address;
    }

    /** Lines of the configuration of a node: its certificate; streams may come without. */
    String tls(String node) {
        Identity.Files files = authority.certify(node, "URI:" + identity(node), 20);
        return "tls: {certificate: '%s', key: '%s', authorities: '%s', plain: ['10.0.0.0/8', '127.0.0.0/8']}\n".formatted(files.certificate(), files.key(), files.authorities());
    }

    static String identity(String node) {
        return NODES + node;
    }

    private JsonNode curl(String path, String... more) {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "--fail-with-body", "--cacert", own.authorities().toString(), "--cert", operator.certificate().toString(), "--key", operator.key().toString()));
        command.addAll(List.of(more));
        command.add(url() + path);
        Command.Result result = host.run(command.toArray(String[]::new));
        try {
            return CommandLineTool.json(result.output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JsonNode get(String path) {
        return curl(path);
    }

    /** Another plan, in YAML. @return its version */
    int plan(String yaml) {
        return curl("/v1/documents/plan", "-X", "PUT", "--data-binary", yaml).path("version").asInt();
    }

    /** Has a session of the plan run as soon as it can. */
    void ask(String session) {
        curl("/v1/agenda", "--data-binary", "{\"session\":\"" + session + "\",\"within\":120}");
    }

    /** How runs of a session have ended: {@code done}, or why they failed. */
    List<String> ended(String session) {
        List<String> ended = new ArrayList<>();
        get("/v1/agenda").path("past").forEach(run -> {
            if (run.path("session").asText().equals(session)) {
                ended.add(run.path("state").asText().equals("done") ? "done" : run.path("reason").asText());
            }
        });
        return ended;
    }

    /** All samples that it has kept; a publication may say one twice. */
    List<SampleLine> samples() {
        try {
            String text = Files.exists(published) ? Files.readString(published) : "";
            Set<SampleLine> samples = new LinkedHashSet<>();
            // The last line may not be whole yet.
            text.substring(0, text.lastIndexOf('\n') + 1).lines().map(SampleLine::parse).forEach(samples::add);
            return List.copyOf(samples);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
