package org.tamanoir.tests;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** {@code tamanoir node run} as a process of its own, that can be ended as an operator, or a power cut, ends it. */
final class NodeProgram implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("READY node anep://(\\S+):(\\d+) admin (\\S+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LabProcess process;
    private final String said;

    NodeProgram(Path data, String... more) {
        this(List.of(), data, Command.append(List.of("--development", "--admin", "127.0.0.1:0"), more));
    }

    /** A node with so many descriptors, not in development mode: its admin API is on its Unix socket. */
    static NodeProgram withDescriptors(int most, Path data, String... more) {
        return new NodeProgram(List.of("sh", "-c", "ulimit -n " + most + " && exec \"$0\" \"$@\""), data, List.of(more));
    }

    /**
     * A node in development mode whose clock is wrong by so much, as {@code +1h}; the one that does not go back is right. Needs the package faketime, whose own
     * program would stay in front of the node, and which must not touch waits.
     */
    static NodeProgram withClock(String off, Path data, String... more) {
        return new NodeProgram(List.of("sh", "-c", "export FAKETIME=" + off + " FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_FORCE_MONOTONIC_FIX=0 "
                + "LD_PRELOAD=$(ls /usr/lib/*/faketime/libfaketime.so.1) && exec \"$0\" \"$@\""), data, Command.append(List.of("--development", "--admin", "127.0.0.1:0"), more));
    }

    private NodeProgram(List<String> before, Path data, List<String> more) {
        List<String> node = CommandLineTool.command(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED"), "node", "run", "--data", data.toString());
        process = LabProcess.start("node", Command.append(Command.append(before, node), more));
        said = firstWord();
    }

    private String firstWord() {
        try {
            return process.awaitLine("READY node ", PATIENCE);
        } catch (LabException e) {
            return process.errors().lines().filter(line -> line.startsWith("EE-")).findFirst().orElseThrow(() -> e);
        }
    }

    /** What it said: {@code READY …}, or an error with its code. */
    String said() {
        return said;
    }

    private Matcher ready() {
        Matcher ready = READY.matcher(said);
        if (!ready.find()) {
            throw new IllegalStateException(said);
        }
        return ready;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(ready().group(1), Integer.parseInt(ready().group(2)));
    }

    String adminUrl() {
        return ready().group(3);
    }

    /** Its admin API. */
    HttpFetch admin() {
        return HttpFetch.of(ready().group(3), ErrorCode.UNREACHABLE);
    }

    /** What it has logged. */
    String errors() {
        return process.errors();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM; does not wait. */
    NodeProgram terminate() throws IOException, InterruptedException {
        signal("-TERM");
        return this;
    }

    /** SIGKILL. */
    NodeProgram kill() {
        process.kill();
        return this;
    }

    /** SIGSTOP: nothing of it runs any more. */
    NodeProgram freeze() throws IOException, InterruptedException {
        signal("-STOP");
        return this;
    }

    /** The same and, later, SIGCONT. */
    NodeProgram suspend(Duration time) throws IOException, InterruptedException {
        freeze();
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

    int exitCode() {
        return process.awaitExit(Duration.ofSeconds(20));
    }

    @Override
    public void close() {
        process.kill();
    }
}
