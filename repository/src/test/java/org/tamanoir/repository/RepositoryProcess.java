package org.tamanoir.repository;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.registry.RegistryStore;

/** A repository in a process of its own, which can be killed. */
final class RepositoryProcess implements AutoCloseable {
    private final Process process;
    final HttpFetch http;

    /** Its JVM does not look at control groups: the only files that it touches while it serves are its own. */
    RepositoryProcess(Path data) throws IOException {
        this(data, null);
    }

    /** @param database a URL, of PostgreSQL or of a registry for the bundles; null for a repository in the directory */
    RepositoryProcess(Path data, String database) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UseContainerSupport", "-cp", System.getProperty("java.class.path"), RepositoryProcess.class.getName(), data.toString()));
        if (database != null) {
            command.add(database);
        }
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(new File(data.toString() + ".log"))).start();
        String url = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (url == null) {
            throw new IOException("the repository did not start; see " + data + ".log");
        }
        http = HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE);
    }

    /** The process: serves until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        RepositorySettings settings = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), Path.of(arguments[0]));
        if (arguments.length > 1 && arguments[1].startsWith("oci:")) {
            settings = settings.withRegistry(RegistryStore.Settings.of(arguments[1], Registry.Settings.of(null, null), 4 << 20));
        } else if (arguments.length > 1) {
            // What a process that was killed has put and not published is removed when the next one starts.
            settings = settings.withDatabase(new PostgresStore.Settings(arguments[1], null, 256 << 20, Duration.ZERO, InstantSource.system()));
        }
        RepositoryServer server = RepositoryServer.start(settings);
        System.out.println(server.url());
        new CountDownLatch(1).await();
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: nothing of the process runs any more. */
    void kill() {
        if (process.destroyForcibly().onExit().completeOnTimeout(null, 10, TimeUnit.SECONDS).join() == null) {
            throw new IllegalStateException("cannot be killed");
        }
    }

    @Override
    public void close() {
        kill();
    }
}
