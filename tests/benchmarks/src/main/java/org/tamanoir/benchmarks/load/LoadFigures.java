package org.tamanoir.benchmarks.load;

import java.util.HashMap;
import java.util.Map;
import org.tamanoir.lab.LabException;

/** One line of the load program: a word, then names and figures. */
public final class LoadFigures {
    private final String line;
    private final Map<String, Long> figures = new HashMap<>();

    private LoadFigures(String line) {
        this.line = line;
    }

    /** @throws LabException if this is no such line */
    public static LoadFigures of(String line) {
        LoadFigures read = new LoadFigures(line);
        String[] words = line.strip().split(" ");
        try {
            for (int i = 1; i < words.length; i += 2) {
                read.figures.put(words[i], Long.parseLong(words[i + 1]));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            throw new LabException("the load program said '" + line + "'", e);
        }
        return read;
    }

    /** @throws LabException if there is none of this name */
    public long get(String name) {
        Long figure = figures.get(name);
        if (figure == null) {
            throw new LabException("no " + name + " in '" + line + "'");
        }
        return figure;
    }

    /**
     * A figure for each second.
     *
     * @param name what is counted in {@code nanos}
     * @throws LabException if the run was over before it counted, as on a machine that is too busy
     */
    public double perSecond(String name) {
        if (get("nanos") == 0) {
            throw new LabException("too short to be measured: " + line);
        }
        return get(name) * 1e9 / get("nanos");
    }

    @Override
    public String toString() {
        return line;
    }
}
