package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/**
 * A PostgreSQL server of Debian's package with a directory, a port and a user of its own: no cluster of this machine is touched, and nothing
 * is left when it is closed. PostgreSQL refuses to run as root, so root runs it as the user that the package made.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final String USER = "postgres";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Between the look for a free port and its use somebody else may take it. */
    private static final int ATTEMPTS = 3;

    /** Not under the build: the other user may not be able to go there. */
    private final Workbench workbench = new Workbench();
    private final Path directory = workbench.folder("");
    private final String host;
    private final UnaryOperator<List<String>> there;
    private LabProcess server;
    private final boolean durable;
    private int port;

    /** Starts it, and returns when it serves. @param host the address it listens on */
    public PostgresServer(String host) throws IOException {
        this(host, command -> command, false);
    }

    /** The same, but what it acknowledges is on the disk: for who measures that. */
    public static PostgresServer durable(String host) throws IOException {
        return new PostgresServer(host, command -> command, true);
    }

    /** The same on loopback of a host of a laboratory. */
    public PostgresServer(Host host) throws IOException {
        this("127.0.0.1", host::command, false);
    }

    private PostgresServer(String host, UnaryOperator<List<String>> there, boolean durable) throws IOException {
        this.host = host;
        this.there = there;
        this.durable = durable;
        try {
            if (isRoot()) {
                Files.setOwner(directory, directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
            }
            Command.run(unprivileged(PROGRAMS.resolve("initdb").toString(), "--pgdata", directory + "/data", "--username", "tester",
                    "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"), null, PATIENCE);
            start();
        } catch (IOException | RuntimeException e) {
            workbench.close();
            throw e;
        }
    }

    /**
     * What to do so that the server and psql can run; empty if nothing is missing. Root installs what is missing, and no cluster of the
     * package is started.
     */
    public static String missing() {
        boolean there = Files.isExecutable(PROGRAMS.resolve("postgres")) && LabRequirements.has("psql");
        if (!there && isRoot()) {
            DebianPackages.install(List.of("postgresql-15", "postgresql-client-15"), "postgresql");
            there = true;
        }
        return there ? "" : "PostgreSQL is missing: apt-get install postgresql-15 postgresql-client-15";
    }

    private static boolean isRoot() {
        return LabRequirements.check().root();
    }

    private static List<String> unprivileged(String... program) {
        // It replaces itself by the program, whose pid is then known and can be ended.
        return isRoot() ? Command.append(List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"), program) : List.of(program);
    }

    private void start() throws IOException {
        for (int attempt = 1;; attempt++) {
            port = FreePort.on(host).getPort();
            try {
                again();
                return;
            } catch (LabException e) {
                server.close();
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** SIGKILL, in the middle of whatever it does. */
    public void kill() {
        server.kill();
        server.awaitExit(PATIENCE);
    }

    /** Starts one that was killed, where it was, and returns when it serves. */
    public void again() {
        server = workbench.start("postgres", there.apply(unprivileged("sh", "-c", "exec \"$@\" 2>&1", "sh",
                PROGRAMS.resolve("postgres").toString(), "-D", directory + "/data", "-h", host, "-p", Integer.toString(port),
                "-k", directory.toString(), "-c", "fsync=" + (durable ? "on" : "off"))));
        while (!server.nextLine(PATIENCE).contains("database system is ready")) {
            continue;
        }
    }

    /** {@code jdbc:postgresql://…}, as the user who may do everything. */
    public String url() {
        return "jdbc:postgresql://" + address() + "/postgres?user=tester";
    }

    /** One of the programs of its package: {@code pgbench}. */
    public static Path program(String name) {
        return PROGRAMS.resolve(name);
    }

    public int port() {
        return port;
    }

    /** {@code HOST:PORT}. */
    public String address() {
        return host + ":" + port;
    }

    /** Ends the server by its pid (SIGTERM: it waits for open sessions, so end those first) and removes its directory. */
    @Override
    public void close() {
        workbench.close();
    }
}
