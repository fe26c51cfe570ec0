package org.tamanoir.benchmarks.paths;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabException;
import org.tamanoir.qos.domain.PrecedenceProgram;
import org.tamanoir.qos.domain.TrafficControl;

/** {@code tc} of a router with a kernel of its own. @param folder in which the program for drop precedences lies; the router sees what was below /tmp when it booted */
public record RouterTc(Director router, Path folder) implements TrafficControl {
    /** Puts the program there: before the router boots. */
    public static void prepare(Path folder) {
        try {
            PrecedenceProgram.write(folder);
        } catch (IOException e) {
            throw new LabException("cannot write into " + folder, e);
        }
    }

    @Override
    public String ask(List<String> arguments) {
        return router.run("tc " + String.join(" ", arguments));
    }

    @Override
    public void batch(List<String> lines) {
        if (!lines.isEmpty()) {
            router.run("cd " + folder + " && tc -batch - <<'END'\n" + String.join("\n", lines) + "\nEND");
        }
    }
}
