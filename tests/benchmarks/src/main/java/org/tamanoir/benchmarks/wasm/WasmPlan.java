package org.tamanoir.benchmarks.wasm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.lab.LabException;
import org.tamanoir.wasm.testing.HarmlessModules;

/**
 * What {@code bench wasm} measures.
 *
 * @param rounds  how often, and how long a measurement counts
 * @param file    of a module of the node's own contract; null for one that counts packets and octets
 * @param hostile how many modules mean harm, in all rounds together; at least one a round
 * @param seed    that they are made from
 */
public record WasmPlan(Rounds rounds, Path file, int hostile, long seed) {
    private static final int MOST_HOSTILE = 100_000;

    /** @throws IllegalArgumentException if it cannot be run */
    public void check() {
        rounds.check();
        if (hostile < 1 || hostile > MOST_HOSTILE) {
            throw new IllegalArgumentException("1 to " + MOST_HOSTILE + " hostile modules");
        }
        if (hostile < rounds.count()) {
            throw new IllegalArgumentException("at least one hostile module a round");
        }
        if (file != null && !Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no module " + file);
        }
    }

    byte[] module() {
        try {
            return file == null ? HarmlessModules.counting() : Files.readAllBytes(file);
        } catch (IOException e) {
            throw new LabException("cannot read " + file, e);
        }
    }

    String name() {
        return file == null ? "counting" : file.getFileName().toString();
    }
}
