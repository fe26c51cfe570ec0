package org.tamanoir.qos.domain;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The program {@code tc} of this machine. */
public final class TcProgram implements TrafficControl {
    private static final int PATIENCE_SECONDS = 20;
    private static final int MOST_OCTETS = 4 << 20;
    private static final Pattern FAILED_LINE = Pattern.compile("Command failed -:(\\d+)");

    private final List<String> command;

    /** @param before what stands before {@code tc} on its command line, as {@code ip netns exec NAME}; usually nothing */
    public TcProgram(String... before) {
        List<String> line = new ArrayList<>(List.of(before));
        line.add("tc");
        command = List.copyOf(line);
    }

    @Override
    public String ask(List<String> arguments) {
        return run(arguments, List.of());
    }

    @Override
    public void batch(List<String> lines) {
        if (!lines.isEmpty()) {
            run(List.of("-batch", "-"), lines);
        }
    }

    private String run(List<String> arguments, List<String> input) {
        List<String> line = new ArrayList<>(command);
        line.addAll(arguments);
        if (input.stream().noneMatch(PrecedenceProgram::isNamedIn)) {
            return run(line, arguments, input, null);
        }
        Path folder = null;
        try {
            folder = Files.createTempDirectory("tamanoir-tc");
            PrecedenceProgram.write(folder);
            return run(line, arguments, input, folder);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DOMAIN_FAILED, "the program that reads drop precedences cannot be given to tc: " + AnepException.reason(e), e);
        } finally {
            remove(folder);
        }
    }

    private static void remove(Path folder) {
        if (folder != null) {
            folder.resolve(PrecedenceProgram.NAME).toFile().delete();
            folder.toFile().delete();
        }
    }

    /** @param folder in which it runs; null for this process's own */
    private static String run(List<String> line, List<String> arguments, List<String> input, Path folder) {
        Process process;
        try {
            process = new ProcessBuilder(line).directory(folder == null ? null : folder.toFile()).start();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DOMAIN_FAILED, "cannot start tc (" + AnepException.reason(e) + "): apt-get install iproute2", e);
        }
        try {
            CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()), TcProgram::start);
            CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()), TcProgram::start);
            start(() -> feed(process, input));
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AnepException(ErrorCode.DOMAIN_FAILED, "tc still ran after " + PATIENCE_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                String said = errors.join();
                throw failed(said.isBlank() ? output.join() : said, input.isEmpty() ? String.join(" ", arguments) : failedLine(said, input));
            }
            return output.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.DOMAIN_FAILED, "interrupted while tc ran", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "tc");
        thread.setDaemon(true);
        thread.start();
    }

    private static void feed(Process process, List<String> input) {
        try (var stdin = process.getOutputStream()) {
            stdin.write(String.join("\n", input).concat("\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It ended before it had read everything: its exit code says why.
        }
    }

    /** What comes up to a bound; the rest is read and left. */
    private static String read(InputStream stream) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (stream) {
            byte[] room = new byte[8192];
            for (int got; (got = stream.read(room)) >= 0;) {
                if (kept.size() < MOST_OCTETS) {
                    kept.write(room, 0, got);
                }
            }
        } catch (IOException e) {
            // It was killed: whoever killed it says why.
        }
        return kept.toString(StandardCharsets.UTF_8);
    }

    private static String failedLine(String output, List<String> input) {
        Matcher failed = FAILED_LINE.matcher(output);
        int number = failed.find() ? Integer.parseInt(failed.group(1)) : 0;
        return number >= 1 && number <= input.size() ? input.get(number - 1) : "-batch";
    }

    private static AnepException failed(String output, String what) {
        String said = output.lines().filter(line -> !line.startsWith("Command failed") && !line.isBlank()).findFirst().orElse("nothing").strip();
        return new AnepException(ErrorCode.DOMAIN_FAILED, "tc said '" + said + "' to '" + what + "': " + remedy(said));
    }

    private static String remedy(String said) {
        if (said.contains("not permitted")) {
            return "run it as root, or with the capability CAP_NET_ADMIN";
        }
        if (said.contains("Cannot find device")) {
            return "'ip link' lists the interfaces";
        }
        if (said.contains("kind is unknown") || said.contains("Unknown qdisc") || said.contains("classifier not found")) {
            return "the kernel lacks this kind of queue or filter: load its module (sch_htb, cls_u32; sch_red, sch_gred and cls_bpf for 'red'), or use a kernel that has it";
        }
        return "see tc(8), and 'tc -s qdisc show' for what the interface has";
    }
}
