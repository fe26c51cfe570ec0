package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A program of the system: {@code keepalived}, {@code ipvsadm}, {@code nft}. What it writes is read up to a limit, and it has a limit of time.
 *
 * @param path    of the program
 * @param problem the code of its failures
 */
record SystemProgram(Path path, ErrorCode problem) {
    /** A table of 64 virtual services with 256 back ends each has 1.5 MB. */
    private static final int MOST_OUTPUT = 8 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int MOST_SAID = 600;

    /**
     * How a program ended.
     *
     * @param output of both kinds, as it came
     */
    record Ran(int exit, String output) {
        /** The first lines of the output, for a message. */
        String said() {
            String text = output.strip().replaceAll("\\s*\\n\\s*", "; ");
            return text.length() > MOST_SAID ? text.substring(0, MOST_SAID) + "…" : text;
        }
    }

    /**
     * Finds a program.
     *
     * @param debian the name of its package
     * @throws AnepException with the problem, and how to install it
     */
    static SystemProgram find(String name, String debian, ErrorCode problem) {
        return find(directories(), name).map(path -> new SystemProgram(path, problem)).orElseThrow(() -> new AnepException(problem, missing(name, debian)));
    }

    static Optional<Path> find(List<Path> directories, String name) {
        return directories.stream().map(directory -> directory.resolve(name)).filter(file -> Files.isRegularFile(file) && Files.isExecutable(file)).findFirst();
    }

    static String missing(String name, String debian) {
        return name + " is not installed: apt-get install " + debian;
    }

    /** Where programs are: the path, and where Debian has those for root. */
    static List<Path> directories() {
        List<String> directories = new ArrayList<>(Arrays.asList(System.getenv().getOrDefault("PATH", "").split(":")));
        directories.addAll(List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin"));
        return directories.stream().filter(directory -> directory.startsWith("/")).map(Path::of).distinct().toList();
    }

    /** Runs it to its end. @throws AnepException if it cannot be started or fails */
    String run(String... arguments) {
        return run(null, List.of(arguments));
    }

    /** The same. @param input that it reads, or null */
    String run(String input, List<String> arguments) {
        Ran ran = tryRun(input, arguments);
        if (ran.exit != 0) {
            throw new AnepException(problem, path.getFileName() + " " + String.join(" ", arguments) + " failed: "
                    + (ran.output.isBlank() ? "exit code " + ran.exit : ran.said()));
        }
        return ran.output;
    }

    /** Runs it to its end; what its exit code means is for the caller to say. @throws AnepException if it cannot be started or does not end */
    Ran tryRun(String input, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new AnepException(problem, "cannot start " + path + ": " + AnepException.reason(e), e);
        }
        try {
            CompletableFuture<String> output = new CompletableFuture<>();
            Thread reader = new Thread(() -> output.complete(read(process.getInputStream())), "tamanoir-reads-" + path.getFileName());
            reader.setDaemon(true);
            reader.start();
            feed(process, input);
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AnepException(problem, path.getFileName() + " did not end within " + PATIENCE.toSeconds() + " s");
            }
            return new Ran(process.exitValue(), output.get(5, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(problem, "interrupted while " + path.getFileName() + " ran", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AnepException(problem, "the output of " + path.getFileName() + " does not end", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void feed(Process process, String input) {
        try (var stdin = process.getOutputStream()) {
            if (input != null) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // It ended without reading: its exit code and output say why.
        }
    }

    /** What it says, up to the limit; the rest is read too, so that it can end. */
    private static String read(InputStream output) {
        try (output) {
            byte[] octets = output.readNBytes(MOST_OUTPUT);
            output.transferTo(OutputStream.nullOutputStream());
            return new String(octets, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
