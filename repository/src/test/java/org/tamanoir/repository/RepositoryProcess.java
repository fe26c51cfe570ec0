package org.tamanoir.repository;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** A repository in a process of its own, which can be killed. */
final class RepositoryProcess implements AutoCloseable {
    private final Process process;
    final HttpFetch http;

    /** Its JVM does not look at control groups: the only files that it touches while it serves are its own. */
    RepositoryProcess(Path data) throws IOException {
        process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UseContainerSupport", "-cp", System.getProperty("java.class.path"), RepositoryProcess.class.getName(), data.toString()))
                .redirectError(ProcessBuilder.Redirect.appendTo(new File(data.toString() + ".log"))).start();
        String url = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (url == null) {
            throw new IOException("the repository did not start; see " + data + ".log");
        }
        http = HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE);
    }

    /** The process: serves until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        RepositoryServer server = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), Path.of(arguments[0])));
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
