package org.tamanoir.benchmarks.compression;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.load.StreamKind;
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
     * @param options of the service compression, a line of YAML each; none for its own choice
     */
    static Relay nodes(Workbench workbench, RepositoryProcess repository, String name, StreamKind kind, String... options) throws IOException {
        List<String> more = new ArrayList<>(List.of("--repository", repository.url()));
        if (options.length > 0) {
            Path file = Files.writeString(workbench.folder(name).resolve("node.yaml"),
                    "services:\n  compression:\n    " + String.join("\n    ", options) + "\n");
            more.addAll(List.of("--config", file.toString()));
        }
        NodeProcess last = NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name + "-last"), more.toArray(String[]::new));
        more.addAll(List.of("--route", "127.0.0.0/8=127.0.0.1:" + last.address().getPort()));
        NodeProcess first = NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name + "-first"), more.toArray(String[]::new));
        return (unused, stream) -> {
            CpuTime before = CpuTime.of(first.tree().root(), last.tree().root());
            double seconds = stream.send(first.address(), kind.typeId());
            return new Cost(seconds, CpuTime.of(first.tree().root(), last.tree().root()).since(before));
        };
    }
}
