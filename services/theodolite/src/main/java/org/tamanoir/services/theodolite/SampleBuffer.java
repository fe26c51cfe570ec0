package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.SampleAnswer.Acknowledged;
import org.tamanoir.paths.wire.SampleLine;

/** Samples that the observatory has not acknowledged, the oldest first. One over the bound costs the oldest, which is counted. */
final class SampleBuffer {
    /** Of a request, with room for what the server's limit of 1 MiB counts besides. */
    private static final int MOST_OCTETS = 900_000;

    /** @param order of all lines here, from 1 */
    private record Kept(long order, long boot, long number, byte[] line) {
        String saved() {
            return boot + " " + number + " " + new String(line, UTF_8) + "\n";
        }
    }

    /** Some lines as {@link #load} takes them. @param last order of the last one */
    record Part(long last, int lines, String text) {
    }

    private final String theodolite;
    private final long boot;
    private final int most;
    private final Deque<Kept> waiting = new ArrayDeque<>();
    private long last;
    private long made;
    private long dropped;
    private long acknowledged;

    /** @param boot milliseconds of the epoch at which it begins to count */
    SampleBuffer(String theodolite, long boot, int most) {
        this.theodolite = theodolite;
        this.boot = boot;
        this.most = most;
    }

    /** Makes a line of what is found. */
    interface Found {
        Line line(String theodolite, long boot, long number);
    }

    void add(String session, Measurement.Kind kind, long time, Map<String, Double> values) {
        add((name, begun, number) -> new SampleLine(name, begun, number, session, kind, time, values));
    }

    void add(Found found) {
        made++;
        keep(boot, made, found.line(theodolite, boot, made).json().getBytes(UTF_8));
    }

    private void keep(long begun, long number, byte[] line) {
        if (waiting.size() >= most) {
            waiting.removeFirst();
            dropped++;
        }
        last++;
        waiting.addLast(new Kept(last, begun, number, line));
    }

    /** The next request: the oldest lines, as many as fit; empty if there are none. */
    byte[] batch() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Kept each : waiting) {
            if (lines.size() + each.line.length + 1 > MOST_OCTETS) {
                break;
            }
            lines.writeBytes(each.line);
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    /** Forgets what the observatory has, or never will. @return whether that was anything */
    boolean acknowledge(List<Acknowledged> what) {
        int before = waiting.size();
        for (Acknowledged each : what) {
            if (each.theodolite().equals(theodolite)) {
                waiting.removeIf(kept -> kept.boot == each.boot() && kept.number <= each.number());
            }
        }
        acknowledged += before - waiting.size();
        return waiting.size() < before;
    }

    int waiting() {
        return waiting.size();
    }

    long made() {
        return made;
    }

    long dropped() {
        return dropped;
    }

    long acknowledged() {
        return acknowledged;
    }

    /** Of the oldest line that waits; of the next one if none does. */
    long first() {
        return waiting.isEmpty() ? last + 1 : waiting.getFirst().order;
    }

    /** Of the newest line that ever waited; 0 if none has. */
    long last() {
        return last;
    }

    /** Lines that wait, the oldest first, up to so many octets; null if there are none. @param after an order, as {@code upTo}, which is included */
    Part part(long after, long upTo, int octets) {
        StringBuilder text = new StringBuilder();
        long end = 0;
        int lines = 0;
        for (Kept each : waiting) {
            if (each.order > after && each.order <= upTo) {
                String saved = each.saved();
                if (end > 0 && text.length() + saved.length() > octets) {
                    break;
                }
                text.append(saved);
                end = each.order;
                lines++;
            }
        }
        return end == 0 ? null : new Part(end, lines, text.toString());
    }

    /** What the next version goes on with. */
    String save() {
        StringBuilder text = new StringBuilder();
        waiting.forEach(each -> text.append(each.saved()));
        return text.toString();
    }

    /** Takes over what another version has saved, or this one before the node ended. */
    void load(String saved) {
        saved.lines().forEach(line -> {
            String[] parts = line.split(" ", 3);
            keep(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2].getBytes(UTF_8));
        });
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("made", made);
        report.put("waiting", waiting.size());
        report.put("acknowledged", acknowledged);
        report.put("dropped", dropped);
        return report;
    }
}
