package org.tamanoir.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * An OCI registry: {@code docker-registry} of Debian's package, on loopback, with a directory and a port of its own. Nothing of this machine is touched, and nothing is left when it
 * is closed.
 */
public final class RegistryServer implements AutoCloseable {
    /** The user of {@link #withPassword}, whose password is {@code secret}. */
    public static final String USER = "tester";
    private static final String HASH = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Between the look for a free port and its use somebody else may take it. */
    private static final int ATTEMPTS = 3;

    private final ServerDirectory files = new ServerDirectory("registry", this::end);
    private final Path directory = files.path();
    private final String http;
    private final String rest;
    private LabProcess server;
    private int port;

    /** Starts one that anybody may use, and returns when it serves. */
    public RegistryServer() throws IOException {
        this("", "");
    }

    private RegistryServer(String http, String rest) throws IOException {
        this.http = http;
        this.rest = rest;
        try {
            Files.writeString(directory.resolve("htpasswd"), USER + ":" + HASH + "\n");
            start();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** One that lets {@link #USER} in and nobody else. */
    public static RegistryServer withPassword() throws IOException {
        return new RegistryServer("", """
                auth:
                  htpasswd:
                    realm: registry
                    path: DIRECTORY/htpasswd
                """);
    }

    /** One of https that lets in who has a token. @param issuer the certificates of whoever signs tokens, PEM */
    public static RegistryServer withTokens(Path certificate, Path key, String realm, Path issuer) throws IOException {
        return new RegistryServer("""
                  tls:
                    certificate: %s
                    key: %s
                """.formatted(certificate, key), """
                auth:
                  token:
                    realm: %s
                    service: registry
                    issuer: tests
                    rootcertbundle: %s
                """.formatted(realm, issuer));
    }

    /** What to do so that it can run; empty if nothing is missing. Root installs what is missing, and no service of the package is started. */
    public static String missing() {
        if (!LabRequirements.has("docker-registry") && LabRequirements.isRoot()) {
            DebianPackages.install(List.of("docker-registry"), "docker-registry");
        }
        return LabRequirements.has("docker-registry") ? "" : "docker-registry is missing: apt-get install docker-registry";
    }

    private void start() throws IOException {
        for (int attempt = 1;; attempt++) {
            port = FreePort.onLoopback();
            try {
                again(false);
                return;
            } catch (LabException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Starts one that was ended, where it was, and returns when it serves. @param readOnly whether it takes nothing */
    public void again(boolean readOnly) throws IOException {
        Path file = Files.writeString(directory.resolve("config.yml"), """
                version: 0.1
                log:
                  accesslog:
                    disabled: true
                storage:
                  filesystem:
                    rootdirectory: DIRECTORY/data
                  maintenance:
                    readonly:
                      enabled: %s
                http:
                  addr: 127.0.0.1:%d
                  secret: tests
                %s%s""".formatted(readOnly, port, http, rest).replace("DIRECTORY", directory.toString()));
        server = LabProcess.start("docker-registry", List.of("docker-registry", "serve", file.toString()));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!answers()) {
            if (!server.isAlive() || System.nanoTime() > end) {
                server.close();
                throw new LabException("docker-registry does not serve:\n" + server.output() + server.errors());
            }
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
            return true;
        } catch (IOException e) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException interrupted) {
                throw LabException.interrupted("waiting for docker-registry", interrupted);
            }
            return false;
        }
    }

    /** {@code 127.0.0.1:PORT}. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /** SIGKILL, in the middle of whatever it does. */
    public void kill() {
        server.kill();
    }

    /** SIGSTOP: connections stay open, and nobody answers. {@link #resume} ends it. */
    public void pause() {
        Command.run(List.of("kill", "-STOP", Long.toString(server.pid())));
    }

    public void resume() {
        Command.run(List.of("kill", "-CONT", Long.toString(server.pid())));
    }

    /** Where it has the octets of a blob. @param sha256 64 hexadecimal digits */
    public Path blob(String sha256) {
        return directory.resolve("data/docker/registry/v2/blobs/sha256/" + sha256.substring(0, 2) + "/" + sha256 + "/data");
    }

    /** What its own garbage collection removes: all that no manifest names, and manifests without a tag too. It must not serve meanwhile. */
    public void collectGarbage() {
        Command.run(List.of("docker-registry", "garbage-collect", "--delete-untagged", directory.resolve("config.yml").toString()), null, PATIENCE);
    }

    private void end() {
        if (server != null && server.isAlive()) {
            // One that is stopped ends by nothing else.
            server.kill();
        }
    }

    /** Ends the server by its pid and removes its directory. */
    @Override
    public void close() {
        files.close();
    }
}
