package org.tamanoir.cluster.ipvs;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last lines of what a program writes while it runs; everything is read, so that it never waits for a reader. */
final class LastWords {
    private static final Logger LOG = LoggerFactory.getLogger(LastWords.class);
    private static final int LINES = 6;
    private static final int MOST_LINE = 300;

    private final Deque<String> lines = new ArrayDeque<>();
    private Thread reader;

    void read(InputStream output) {
        reader = new Thread(() -> {
            StringBuilder line = new StringBuilder();
            try (InputStream octets = new BufferedInputStream(output)) {
                for (int octet = octets.read(); octet >= 0; octet = octets.read()) {
                    if (octet == '\n') {
                        add(line.toString());
                        line.setLength(0);
                    } else if (line.length() < MOST_LINE) {
                        line.append(octet < ' ' || octet > '~' ? ' ' : (char) octet);
                    }
                }
            } catch (IOException e) {
                LOG.debug("the output has ended: {}", e.getMessage());
            }
        }, "tamanoir-keepalived-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** In one line, the oldest first. Of a program that has ended it has everything. */
    String text() {
        try {
            if (reader != null) {
                // At the end of the program the last octets may still be on their way.
                reader.join(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (lines) {
            return String.join("; ", lines);
        }
    }

    private void add(String line) {
        // "Sun Nov 22 01:00:00 2026: text": the log has a time of its own.
        String text = line.replaceFirst("^[A-Z][a-z]{2} [A-Z][a-z]{2} +\\d+ [\\d:]+ \\d{4}: ", "").strip();
        LOG.debug("keepalived: {}", text);
        synchronized (lines) {
            if (!text.isEmpty()) {
                lines.addLast(text);
            }
            if (lines.size() > LINES) {
                lines.removeFirst();
            }
        }
    }
}
