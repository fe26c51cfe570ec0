package org.tamanoir.repository;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Watches what a process does to the files below a directory, and can kill it at the entry of one system call, before it is done. */
final class Strace implements AutoCloseable {
    private static final String CHANGES = "openat,write,pwrite64,writev,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,"
            + "unlink,unlinkat,mkdir,mkdirat";
    /** Thread, call, arguments. The second half of a call, where another thread came between, begins with an angle bracket. */
    private static final Pattern LINE = Pattern.compile("(\\d+) +(\\w+)\\((.*)");

    /**
     * One change of a file.
     *
     * @param call the system call
     * @param file what it changes, relative to the directory; of a rename the new name
     * @param count how many such calls the same thread had made, with this one: of this file, or of any if it is not filtered
     * @param finished false if the process was killed at its entry
     */
    record Step(String call, String file, int count, boolean finished) {
        /** The same step of another upload has another random name. */
        String kind() {
            return call + " " + file.replaceAll("upload-\\d+", "upload-N");
        }

        /** Whether strace can be told to look at this file alone: not at a random name, nor at the new one of a rename. */
        boolean isFiltered() {
            return !call.startsWith("rename") && file.equals(kind().substring(call.length() + 1));
        }
    }

    private final Path directory;
    private final Path log;
    private final Process process;

    /** @param killAt null to watch only */
    Strace(long pid, Path directory, Path log, Step killAt) throws IOException {
        this.directory = directory;
        this.log = log;
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-s", "0", "-o", log.toString(), "-e", "trace=" + CHANGES));
        if (killAt != null) {
            command.addAll(List.of("-e", "inject=" + killAt.call() + ":signal=KILL:when=" + killAt.count()));
            if (killAt.isFiltered()) {
                command.addAll(List.of("-P", directory.resolve(killAt.file()).toString()));
            }
        }
        command.addAll(List.of("-p", Long.toString(pid)));
        process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.resolveSibling(log.getFileName() + ".out").toFile()).start();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> isTraced(pid));
    }

    /** Every thread has its tracer. */
    private boolean isTraced(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("status")).contains("\nTracerPid:\t0\n")) {
                    return false;
                }
            }
            return true;
        }
    }

    /** What was done, in order. For a tracer that has ended. */
    List<Step> steps() throws IOException {
        List<Step> steps = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        List<String> lines = Files.readAllLines(log);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            Matcher call = LINE.matcher(line);
            if (!call.matches()) {
                continue;
            }
            String key = call.group(1) + call.group(2);
            int ofThread = counts.merge(key, 1, Integer::sum);
            String file = last(call.group(3));
            boolean changes = !call.group(2).equals("openat") || call.group(3).contains("O_CREAT");
            if (file == null) {
                continue;
            }
            int ofFile = counts.merge(key + ' ' + file, 1, Integer::sum);
            Step step = new Step(call.group(2), file, ofFile, isFinished(lines.subList(i, lines.size()), call.group(1)));
            if (changes) {
                steps.add(step.isFiltered() ? step : new Step(step.call(), file, ofThread, step.finished()));
            }
        }
        return steps;
    }

    /** Whether the call of the first line came to its end, there or where it was taken up again. */
    private static boolean isFinished(List<String> lines, String thread) {
        String end = !lines.get(0).endsWith("<unfinished ...>") ? lines.get(0) : lines.stream().skip(1)
                .filter(line -> line.startsWith(thread + " <...")).findFirst().orElse("= ?");
        return !end.endsWith("= ?");
    }

    /** The last path below the directory that stands in the arguments; null if there is none. */
    private String last(String arguments) {
        Matcher path = Pattern.compile("[<\"]" + Pattern.quote(directory.toString()) + "/?([^>\"]*)[>\"]").matcher(arguments);
        String last = null;
        while (path.find()) {
            last = path.group(1);
        }
        return last;
    }

    /** Waits for the tracer to end with the process that it watched. */
    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the process was not killed");
        }
    }

    @Override
    public void close() {
        detach();
    }

    /** Lets the process go. */
    void detach() {
        process.destroy();
        if (process.onExit().completeOnTimeout(null, 10, TimeUnit.SECONDS).join() == null) {
            process.destroyForcibly();
        }
    }
}
