package org.tamanoir.wasm.stream;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.tamanoir.anep.AnepException;
import org.tamanoir.wasm.engine.LinearMemory;

/**
 * What one instance has to say: noted while the module runs, and written when it has returned, because a module may call with no stack left.
 * The lines of all instances of a service are bounded together.
 */
public final class ModuleLog {
    private static final int LONGEST = 1000;
    /** Of the longest line in UTF-8. */
    private static final int MOST_OCTETS = 4 * LONGEST;
    /** In one call; more than a service may write in a second. */
    private static final int MOST_NOTED = 16;

    /** How many lines a service may write in a second. Any thread. */
    public static final class Rate {
        private static final long SECOND = 1_000_000_000;

        private final int most;
        private long since = System.nanoTime();
        private int lines;

        public Rate(int most) {
            this.most = most;
        }

        synchronized boolean take() {
            long now = System.nanoTime();
            if (now - since >= SECOND) {
                since = now;
                lines = 0;
            }
            return lines++ < most;
        }
    }

    private record Line(int level, String text) {
    }

    private final Logger logger;
    private final Rate rate;
    private final List<Line> noted = new ArrayList<>();

    public ModuleLog(Logger logger, Rate rate) {
        this.logger = logger;
        this.rate = rate;
    }

    /**
     * Notes a line that stands in the memory of the module. Whoever fills a log in a loop has no text made for what is left out.
     *
     * @param level as below
     * @throws AnepException EE-655 if it is not all inside the memory
     */
    public void note(int level, LinearMemory memory, int address, int length) {
        memory.checkArea(address, length);
        if (noted.size() < MOST_NOTED) {
            note(level, memory.text(address, Math.min(length, MOST_OCTETS)));
        }
    }

    /** Notes a line. @param level 0 debug, 1 information, 2 warning, 3 error */
    public void note(int level, String text) {
        if (noted.size() < MOST_NOTED) {
            noted.add(new Line(level, text.length() > LONGEST ? text.substring(0, LONGEST) : text));
        }
    }

    /** Writes what was noted. */
    public void write() {
        if (noted.isEmpty()) {
            return;
        }
        for (Line line : noted) {
            if (rate.take()) {
                switch (line.level) {
                    case 0 -> logger.debug("{}", line.text);
                    case 1 -> logger.info("{}", line.text);
                    case 2 -> logger.warn("{}", line.text);
                    default -> logger.error("{}", line.text);
                }
            }
        }
        noted.clear();
    }
}
