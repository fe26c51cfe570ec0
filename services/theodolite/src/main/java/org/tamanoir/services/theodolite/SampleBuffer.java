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

    private record Kept(long boot, long number, byte[] line) {
    }

    private final String theodolite;
    private final long boot;
    private final int most;
    private final Deque<Kept> waiting = new ArrayDeque<>();
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
        keep(new Kept(boot, made, found.line(theodolite, boot, made).json().getBytes(UTF_8)));
    }

    private void keep(Kept sample) {
        if (waiting.size() >= most) {
            waiting.removeFirst();
            dropped++;
        }
        waiting.addLast(sample);
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

    /** What the next version goes on with: lines, each with its boot and number in front. */
    String save() {
        StringBuilder text = new StringBuilder();
        waiting.forEach(each -> text.append(each.boot).append(' ').append(each.number).append(' ').append(new String(each.line, UTF_8)).append('\n'));
        return text.toString();
    }

    /** Takes over what another version has saved. */
    void load(String saved) {
        saved.lines().forEach(line -> {
            String[] parts = line.split(" ", 3);
            keep(new Kept(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2].getBytes(UTF_8)));
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
