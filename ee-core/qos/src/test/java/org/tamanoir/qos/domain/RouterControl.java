package org.tamanoir.qos.domain;

import java.util.List;
import org.tamanoir.lab.Director;

/** {@code tc} of a router with a kernel of its own. @param folder in which the program for drop precedences lies, in the router too */
record RouterControl(Director router, String folder) implements TrafficControl {
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
