package org.tamanoir.benchmarks.compression;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.Command;

/** One way for the octets of a file, which end where they are thrown away. Both ends of the compressed path run on this machine. */
interface Relay {
    /** Seconds of time, and of CPU of what is measured: both programs of a pipe, or both nodes. */
    record Cost(double seconds, double cpu) {
    }

    Cost run(Path file, FileStream stream);

    /** A codec and the codec that restores, in a pipe. */
    static Relay pipe(String compress, String restore) {
        // The shell's own "times": lines of user and system time, its own first and then that of its children, as 0m0.010s.
        return (file, stream) -> {
            long begin = System.nanoTime();
            String times = Command.run(List.of("bash", "-c", compress + " \"$1\" | " + restore + " >/dev/null; times", "pipe", file.toString())).output();
            double seconds = (System.nanoTime() - begin) / 1e9;
            double cpu = 0;
            for (String time : times.strip().lines().toList().get(1).split(" ")) {
                String[] parts = time.replace("s", "").split("m");
                cpu += 60 * Double.parseDouble(parts[0]) + Double.parseDouble(parts[1]);
            }
            return new Cost(seconds, cpu);
        };
    }

    /**
     * Two nodes in a row.
     *
     * @param options of the service compression, a line of YAML each; empty for its own choice
     */
    static Relay nodes(Workbench workbench, RepositoryProcess repository, String name, int typeId, List<String> options) {
        Path file = workbench.folder(name).resolve("node.yaml");
        try {
            Files.writeString(file, options.isEmpty() ? "" : "services:\n  compression:\n    " + String.join("\n    ", options) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        NodeProcess last = start(workbench, name + "-last", file, "--repository", repository.url());
        NodeProcess first = start(workbench, name + "-first", file, "--repository", repository.url(), "--route",
                "127.0.0.0/8=127.0.0.1:" + last.address().getPort());
        return (unused, stream) -> {
            CpuTime before = CpuTime.of(first.tree().root(), last.tree().root());
            InetSocketAddress entry = first.address();
            double seconds = stream.send(entry, typeId);
            return new Cost(seconds, CpuTime.of(first.tree().root(), last.tree().root()).since(before));
        };
    }

    private static NodeProcess start(Workbench workbench, String name, Path file, String... arguments) {
        String[] all = new String[arguments.length + (fileIsEmpty(file) ? 0 : 2)];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        if (all.length > arguments.length) {
            all[arguments.length] = "--config";
            all[arguments.length + 1] = file.toString();
        }
        return NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name), all);
    }

    private static boolean fileIsEmpty(Path file) {
        return file.toFile().length() == 0;
    }
}
