package org.tamanoir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of Debian's package with a directory, a port and a user of its own: no cluster of this machine is touched, and nothing
 * is left when it is closed. PostgreSQL refuses to run as root, so root runs it as the user that the package made.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final String USER = "postgres";
    private static final List<String> INIT = List.of("initdb", "--username", "tester", "--auth", "trust", "--encoding", "UTF8", "--locale", "C");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Between the look for a free port and its use somebody else may take it. */
    private static final int ATTEMPTS = 3;

    /** Not under the build: the other user may not be able to go there. */
    private final ServerDirectory files = new ServerDirectory("postgres", this::end);
    private final Path directory = files.path();
    private final String host;
    private final UnaryOperator<List<String>> there;
    private LabProcess server;
    private final boolean durable;
    private int port;

    /** Starts it, and returns when it serves. @param host the address it listens on */
    public PostgresServer(String host) throws IOException {
        this(host, command -> command, false, INIT);
    }

    /** A hot standby of another one, on the same address: it has what that one had, follows it, and can only be read. */
    public static PostgresServer standbyOf(PostgresServer primary) throws IOException {
        return new PostgresServer(primary.host, command -> command, primary.durable, List.of("pg_basebackup", "--host", primary.host, "--port", Integer.toString(primary.port),
                "--username", "tester", "--write-recovery-conf", "--checkpoint", "fast"));
    }

    /** The same, but what it acknowledges is on the disk: for who measures that. */
    public static PostgresServer durable(String host) throws IOException {
        return new PostgresServer(host, command -> command, true, INIT);
    }

    /** The same on loopback of a host of a laboratory. */
    public PostgresServer(Host host) throws IOException {
        this("127.0.0.1", host::command, false, INIT);
    }

    private PostgresServer(String host, UnaryOperator<List<String>> there, boolean durable, List<String> making) throws IOException {
        this.host = host;
        this.there = there;
        this.durable = durable;
        try {
            if (isRoot()) {
                Files.setOwner(directory, directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
            }
            List<String> make = new ArrayList<>(making);
            make.set(0, PROGRAMS.resolve(making.get(0)).toString());
            make.addAll(List.of("--pgdata", directory + "/data", "--no-sync"));
            Command.run(unprivileged(make.toArray(String[]::new)), null, PATIENCE);
            start();
        } catch (IOException | RuntimeException e) {
            close();
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

    /** SIGKILL, in the middle of whatever it does; its processes for sessions end when they see it. */
    public void kill() {
        server.kill();
        server.awaitExit(PATIENCE);
    }

    /** SIGKILL to it and to all its processes, none of which does anything more. */
    public void killAll() {
        List<ProcessHandle> all = processes();
        server.kill();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
    }

    /** SIGSTOP to all its processes: connections stay open, and nobody answers. {@link #resume} ends it. */
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    private List<ProcessHandle> processes() {
        ProcessHandle own = ProcessHandle.of(server.pid()).orElseThrow();
        return Stream.concat(Stream.of(own), own.descendants()).toList();
    }

    private void signal(String name) {
        List<String> pids = processes().stream().map(each -> Long.toString(each.pid())).toList();
        // One may have ended by itself meanwhile.
        Command.tryRun(Command.append(List.of("kill", "-" + name), pids.toArray(String[]::new)), null, PATIENCE);
    }

    /** Starts one that was killed, where it was, and returns when it serves. @param settings such as {@code default_transaction_read_only=on} */
    public void again(String... settings) {
        String[] more = Stream.of(settings).flatMap(each -> Stream.of("-c", each)).toArray(String[]::new);
        server = LabProcess.start("postgres", there.apply(Command.append(unprivileged("sh", "-c", "exec \"$@\" 2>&1", "sh",
                PROGRAMS.resolve("postgres").toString(), "-D", directory + "/data", "-h", host, "-p", Integer.toString(port),
                "-k", directory.toString(), "-c", "fsync=" + (durable ? "on" : "off")), more)));
        // "… to accept connections", or "… to accept read-only connections".
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

    /** Makes of a standby a server of its own. */
    public void promote() {
        Command.run(unprivileged(PROGRAMS.resolve("pg_ctl").toString(), "promote", "--pgdata", directory + "/data"), null, PATIENCE);
    }

    /** Ends it (SIGINT: sessions are ended too), so that it can be started {@link #again}. */
    public void stop() {
        Command.tryRun(List.of("kill", "-INT", Long.toString(server.pid())), null, PATIENCE);
        server.awaitExit(PATIENCE);
    }

    /** Its directory, of which the user of PostgreSQL is the owner. */
    public Path directory() {
        return directory;
    }

    private void end() {
        if (server != null && server.isAlive()) {
            List<ProcessHandle> all = processes();
            server.close();
            // One that is stopped by SIGSTOP ends by nothing else.
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Ends the server by its pid (SIGTERM: it waits for open sessions, so end those first) and removes its directory. */
    @Override
    public void close() {
        files.close();
    }
}
