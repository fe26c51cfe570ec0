package org.tamanoir.tests;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** {@code tamanoir node run} as a process of its own, that can be ended as an operator, or a power cut, ends it. */
final class NodeProgram implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("READY node anep://(\\S+):(\\d+) admin (\\S+)");

    private final Process process;
    private final String firstLine;

    NodeProgram(Path data, String... more) throws IOException {
        this(List.of(), data, concat(List.of("--development", "--admin", "127.0.0.1:0"), more));
    }

    /** A node with so many descriptors, not in development mode: its admin API is on its Unix socket. */
    static NodeProgram withDescriptors(int most, Path data, String... more) throws IOException {
        return new NodeProgram(List.of("sh", "-c", "ulimit -n " + most + " && exec \"$0\" \"$@\""), data, List.of(more));
    }

    private static List<String> concat(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    private NodeProgram(List<String> before, Path data, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(org.tamanoir.benchmarks.process.CommandLineTool.command(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                "node", "run", "--data", data.toString()));
        command.addAll(more);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        while (line != null && !READY.matcher(line).find() && !line.startsWith("EE-")) {
            line = out.readLine();
        }
        firstLine = line;
        Thread drain = new Thread(() -> out.lines().forEach(unused -> { }), "test-output");
        drain.setDaemon(true);
        drain.start();
    }

    /** What it said: {@code READY …}, or an error with its code. */
    String said() {
        return firstLine;
    }

    InetSocketAddress address() {
        Matcher ready = READY.matcher(firstLine);
        if (!ready.find()) {
            throw new IllegalStateException(firstLine);
        }
        return new InetSocketAddress(ready.group(1), Integer.parseInt(ready.group(2)));
    }

    /** Its admin API. */
    HttpFetch admin() {
        Matcher ready = READY.matcher(firstLine);
        if (!ready.find()) {
            throw new IllegalStateException(firstLine);
        }
        return HttpFetch.of(ready.group(3), ErrorCode.UNREACHABLE);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM. */
    NodeProgram terminate() {
        process.destroy();
        return this;
    }

    /** SIGKILL. */
    NodeProgram kill() {
        process.destroyForcibly();
        return this;
    }

    /** SIGSTOP and, later, SIGCONT: nothing of it runs meanwhile. */
    NodeProgram suspend(Duration time) throws IOException, InterruptedException {
        signal("-STOP");
        try {
            Thread.sleep(time.toMillis());
        } finally {
            signal("-CONT");
        }
        return this;
    }

    private void signal(String name) throws IOException, InterruptedException {
        if (new ProcessBuilder("kill", name, Long.toString(pid())).inheritIO().start().waitFor() != 0) {
            throw new IOException("kill " + name + " does not reach the node");
        }
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the node does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
