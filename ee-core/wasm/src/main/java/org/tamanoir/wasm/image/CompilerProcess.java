package org.tamanoir.wasm.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.module.WasmLimits;

/**
 * Runs {@link CompilerMain} with the same Java and the same classes, with its own heap, and ends it when it takes too long. Everything passes
 * through files, so nobody waits for a pipe.
 */
final class CompilerProcess {
    private static final int LONGEST_LINE = 1000;
    private static final int LOOK_MILLIS = 100;
    /** How many times as long as the compiler may work a node waits for it by the clock on the wall. */
    private static final int MOST_PATIENCE = 5;
    private static final Path NICE = Path.of("/usr/bin/nice");

    private CompilerProcess() {
    }

    /**
     * Writes the image of a module into a file.
     *
     * @throws AnepException EE-650 or EE-658
     */
    static void compile(byte[] module, ImageStore store, Path image, WasmLimits limits) throws IOException {
        Path in = store.temporary(".wasm");
        Path errors = store.temporary(".text");
        try {
            Files.write(in, module);
            ProcessBuilder builder = new ProcessBuilder(command(limits)).redirectInput(in.toFile()).redirectOutput(image.toFile()).redirectError(errors.toFile());
            // What the node was started with may hold secrets, and options for its own JVM.
            builder.environment().clear();
            Process process = builder.start();
            try {
                await(process, limits);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Compilation.refused("the node has stopped waiting", e);
            } finally {
                process.destroyForcibly();
            }
            if (process.exitValue() != 0) {
                throw failure(process.exitValue(), errors, limits);
            }
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(errors);
        }
    }

    private static void await(Process process, WasmLimits limits) throws InterruptedException {
        long end = System.nanoTime() + MOST_PATIENCE * limits.compileTime().toNanos();
        while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            // Others who want the processor are no fault of the module.
            if (process.info().totalCpuDuration().orElse(Duration.ZERO).compareTo(limits.compileTime()) > 0) {
                throw Compilation.refused("that takes more than " + limits.compileTime().toMillis() + " ms of processor time", null);
            }
            if (System.nanoTime() - end > 0) {
                throw new NotYet("the machine is so busy that it is not compiled after " + MOST_PATIENCE * limits.compileTime().toSeconds() + " s");
            }
        }
    }

    /** The module is not to blame, and may be compiled later. */
    static final class NotYet extends AnepException {
        NotYet(String text) {
            super(ErrorCode.NOT_COMPILED, text);
        }
    }

    private static List<String> command(WasmLimits limits) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(NICE)) {
            // Streams come first.
            command.addAll(List.of(NICE.toString(), "-n", "10"));
        }
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + limits.compileMegabytes() + "m", "-Xss4m",
                "-XX:MaxMetaspaceSize=256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError", "-Xshare:auto",
                "-cp", System.getProperty("java.class.path"), CompilerMain.class.getName()));
        return command;
    }

    private static AnepException failure(int exit, Path errors, WasmLimits limits) throws IOException {
        byte[] octets;
        try (var in = Files.newInputStream(errors)) {
            octets = in.readNBytes(LONGEST_LINE);
        }
        String line = new String(octets, StandardCharsets.UTF_8).lines().findFirst().orElse("");
        if (exit == CompilerMain.REFUSED && line.matches("\\d{3} .*")) {
            return new AnepException(ErrorCode.of(Integer.parseInt(line.substring(0, 3))), line.substring(4));
        }
        return Compilation.refused("the compiler has ended with " + exit + (exit == 3 ? ": it needs more than " + limits.compileMegabytes() + " MB" : line.isEmpty() ? "" : ": " + line), null);
    }
}
