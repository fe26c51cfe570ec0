package org.tamanoir.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** This program once more, as a server in a process of its own: started, ready, and stopped cleanly. */
final class ServerProcess implements AutoCloseable {
    private static final int READY_SECONDS = 30;
    private static final int STOP_SECONDS = 15;

    private final Process process;
    private final String name;
    private final Path log;
    private String[] ready;

    /**
     * Starts a command of this program that prints a line READY.
     *
     * @param log where its standard error goes
     */
    ServerProcess(String name, Path log, String... arguments) throws IOException {
        this.name = name;
        this.log = log;
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.tamanoir.cli.Tamanoir"));
        command.addAll(Arrays.asList(arguments));
        this.process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    }

    /** Waits for READY and returns its words after the name of what is ready. */
    String[] awaitReady() throws IOException, InterruptedException {
        if (ready != null) {
            return ready;
        }
        // Not closed: the process goes on writing, and reading stops with it.
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> firstLine(out), Demo.OWN_THREAD);
        try {
            String text = line.get(READY_SECONDS, TimeUnit.SECONDS);
            if (text == null || !text.startsWith("READY ")) {
                throw failed("it ended or said '" + text + "'");
            }
            ready = text.substring(text.indexOf(' ', "READY ".length()) + 1).split(" ");
            return ready;
        } catch (TimeoutException e) {
            throw failed("it was not ready within " + READY_SECONDS + " s");
        } catch (java.util.concurrent.ExecutionException e) {
            throw failed(e.getCause().toString());
        }
    }

    private static String firstLine(BufferedReader out) {
        try {
            return out.readLine();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private AnepException failed(String what) throws IOException {
        return new AnepException(ErrorCode.INTERNAL, name + " did not start: " + what + "; it says: " + Files.readString(log));
    }

    /** Asks it to stop and waits; ends it for good if it does not. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
