package org.tamanoir.observatory.publish;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.metrics.Spread;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.SampleValue;

/**
 * Results as pScheduler's {@code http} archiver posts them, of its tests throughput, rtt, latency and latencybg, and samples in this form. The form is that of the
 * validators of these tests and of what their tools write, in {@code perfsonar/pscheduler}; the README of the test data says of which commit.
 */
public final class Pscheduler {
    /** With the type of the test behind it, the first part of the session of a foreign result. */
    private static final String TASK = "pscheduler-";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Pattern PARTICIPANT = Pattern.compile("\\[([^]]*)](?::\\d+)?|([^:]*):\\d+");
    /** Seconds of a bin of a histogram, unless the test says another width. */
    private static final double BUCKET_WIDTH = 0.001;
    private static final double MILLIS = 1000;
    private static final double MEGA = 1e6;
    private static final double P95 = 0.95;
    private static final int MOST_PACKETS = 1_000_000;

    private Pscheduler() {
    }

    /**
     * Reads a result. The host that sent stands for a theodolite.
     *
     * @return null for a run that did not succeed, or one of a test that has nothing that an observatory knows
     * @throws AnepException EE-781 that names the key
     */
    public static SampleLine parse(String json) {
        JsonNode root;
        try {
            root = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw bad("the result", "it is no JSON");
        }
        JsonNode test = root.path("test");
        JsonNode result = root.path("result");
        JsonNode spec = test.path("spec");
        if (!test.path("type").isTextual() || !result.isObject() && !result.isNull()) {
            throw bad("test.type, result", "a result of pScheduler has both");
        }
        if (!result.path("succeeded").asBoolean()) {
            return null;
        }
        Map<String, Double> values = new LinkedHashMap<>();
        Kind kind = switch (test.path("type").asText()) {
            case "throughput" -> throughput(spec, result, values);
            case "rtt" -> roundTrip(spec, result, values);
            case "latency", "latencybg" -> oneWay(spec, result, values);
            default -> null;
        };
        if (kind == null || values.isEmpty()) {
            return null;
        }
        String from = name("test.spec.source", spec.path("source").asText(host(root.path("participants").path(0).asText())));
        String to = name("test.spec.dest", spec.path("dest").asText());
        if (spec.path("reverse").asBoolean()) {
            String other = from;
            from = to;
            to = other;
        }
        long begins = time("run.start-time", root.path("run").path("start-time"), root.path("schedule").path("start"));
        long lasts = duration(root.path("run").path("duration"), root.path("schedule").path("duration"));
        String run = root.path("run").path("href").asText(root.path("id").asText(test.toString() + begins));
        return new SampleLine(from, begins, number(run), TASK + test.path("type").asText() + "/" + Plan.BEST_EFFORT + "/" + from + "/" + to, kind, begins + lasts, values);
    }

    private static AnepException bad(String key, String what) {
        return new AnepException(ErrorCode.BAD_SAMPLE, key + ": " + what);
    }

    /** Of a participant, which may have a port. */
    private static String host(String participant) {
        Matcher matcher = PARTICIPANT.matcher(participant);
        return matcher.matches() ? matcher.group(1) != null ? matcher.group(1) : matcher.group(2) : participant;
    }

    private static String name(String key, String written) {
        String host = written.endsWith(".") ? written.substring(0, written.length() - 1) : written;
        if (!Plan.NAME.matcher(host).matches()) {
            throw bad(key, "'" + host + "' is no host, or its name is longer than 63");
        }
        return host;
    }

    private static void put(Map<String, Double> values, SampleValue name, JsonNode number, double factor) {
        if (number.isNumber() && Double.isFinite(number.doubleValue()) && number.doubleValue() >= 0) {
            values.put(name.text(), number.doubleValue() * factor);
        }
    }

    /** What has arrived: tools say it of late, and of datagrams how many were lost. */
    private static Kind throughput(JsonNode spec, JsonNode result, Map<String, Double> values) {
        JsonNode summary = result.path("summary").path("summary");
        double sent = summary.path("sent").asDouble();
        double lost = spec.path("udp").asBoolean() ? summary.path("lost").asDouble() : 0;
        if (summary.hasNonNull("receiver-throughput-bits")) {
            put(values, SampleValue.MBITS, summary.path("receiver-throughput-bits"), 1 / MEGA);
        } else {
            put(values, SampleValue.MBITS, summary.path("throughput-bits"), lost > 0 && lost <= sent ? (1 - lost / sent) / MEGA : 1 / MEGA);
        }
        if (!values.isEmpty()) {
            put(values, SampleValue.OCTETS, summary.path("throughput-bytes"), 1);
            put(values, SampleValue.SECONDS, summary.path("end"), 1);
            put(values, SampleValue.RETRANSMISSIONS, summary.path("retransmits"), 1);
            int streams = result.path("summary").path("streams").size();
            if (streams > 0) {
                values.put(SampleValue.STREAMS.text(), (double) streams);
            }
        }
        return Kind.THROUGHPUT;
    }

    private static Kind roundTrip(JsonNode spec, JsonNode result, Map<String, Double> values) {
        List<Double> all = new ArrayList<>();
        for (JsonNode each : result.path("roundtrips")) {
            if (each.hasNonNull("rtt") && all.size() < MOST_PACKETS) {
                all.add(millis("result.roundtrips.rtt", each.path("rtt")));
            }
        }
        // What got no answer is not listed, and twice what got two. Tools of before do not count.
        double sent = result.path("sent").asDouble(spec.path("count").asDouble(result.path("roundtrips").size()));
        double received = result.path("received").asDouble(all.size());
        if (sent > 0) {
            values.put(SampleValue.SENT.text(), sent);
            values.put(SampleValue.RECEIVED.text(), Math.min(sent, received));
            values.put(SampleValue.LOSS.text(), Math.max(0, sent - received) / sent);
        }
        // Of one that does not list its round trips, the mean is next to the median.
        for (Map.Entry<String, SampleValue> each : Map.of("min", SampleValue.RTT_MIN, "mean", SampleValue.RTT_MEDIAN, "max", SampleValue.RTT_MAX).entrySet()) {
            if (result.hasNonNull(each.getKey())) {
                values.put(each.getValue().text(), millis("result." + each.getKey(), result.path(each.getKey())));
            }
        }
        delays(all, values, SampleValue.RTT_MIN, SampleValue.RTT_MEDIAN, SampleValue.RTT_P95);
        return Kind.ROUND_TRIP;
    }

    private static void delays(List<Double> all, Map<String, Double> values, SampleValue least, SampleValue median, SampleValue p95) {
        if (!all.isEmpty()) {
            double[] sorted = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            values.put(least.text(), sorted[0]);
            values.put(median.text(), Spread.quantile(sorted, 0.5));
            values.put(p95.text(), Spread.quantile(sorted, P95));
        }
    }

    /** Its histogram has delays, in bins of the test's width, and how many packets had each. */
    private static Kind oneWay(JsonNode spec, JsonNode result, Map<String, Double> values) {
        double millis = spec.path("bucket-width").asDouble(BUCKET_WIDTH) * MILLIS;
        double sent = result.path("packets-sent").asDouble();
        double lost = result.path("packets-lost").asDouble();
        if (sent <= 0 || lost < 0 || lost > sent) {
            throw bad("result.packets-sent, result.packets-lost", lost + " lost of " + sent);
        }
        values.put(SampleValue.SENT.text(), sent);
        values.put(SampleValue.RECEIVED.text(), sent - lost);
        values.put(SampleValue.LOSS.text(), lost / sent);
        List<Double> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : result.path("histogram-latency").properties()) {
            try {
                double delay = Double.parseDouble(each.getKey()) * millis;
                for (int i = 0; i < each.getValue().asInt() && all.size() < MOST_PACKETS; i++) {
                    all.add(delay);
                }
            } catch (NumberFormatException e) {
                throw bad("result.histogram-latency", "'" + each.getKey() + "' is no delay");
            }
        }
        delays(all, values, SampleValue.DELAY_MIN, SampleValue.DELAY_MEDIAN, SampleValue.DELAY_P95);
        put(values, SampleValue.DELAY_ERROR, result.path("max-clock-error"), 1);
        return Kind.ONE_WAY;
    }

    private static double millis(String key, JsonNode text) {
        try {
            return Duration.parse(text.asText()).toNanos() / MEGA;
        } catch (DateTimeParseException e) {
            throw bad(key, "'" + text.asText() + "' is no ISO 8601 duration");
        }
    }

    private static long time(String key, JsonNode... texts) {
        for (JsonNode each : texts) {
            if (each.isTextual()) {
                try {
                    return OffsetDateTime.parse(each.asText()).toInstant().toEpochMilli();
                } catch (DateTimeParseException e) {
                    throw bad(key, "'" + each.asText() + "' is no time");
                }
            }
        }
        throw bad(key, "it is missing");
    }

    private static long duration(JsonNode... texts) {
        for (JsonNode each : texts) {
            if (each.isTextual()) {
                return (long) millis("run.duration", each);
            }
        }
        return 0;
    }

    /** The same for a run that comes again, and hardly ever for another. */
    private static long number(String run) {
        try {
            return (ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(run.getBytes(StandardCharsets.UTF_8))).getLong() >>> 12) + 1;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** A sample as the archiver would post it; null if pScheduler has no such test. @param hosts of theodolites */
    public static String json(SampleLine line, Function<String, String> hosts) {
        Map<String, Double> values = line.values();
        ObjectNode root = MAPPER.createObjectNode();
        ObjectNode result = root.putObject("result").put("schema", 1).put("succeeded", true).put("diags", "");
        String type;
        switch (line.kind()) {
            case THROUGHPUT -> {
                type = "throughput";
                ObjectNode summary = result.putObject("summary").putObject("summary").put("start", 0);
                summary.put("throughput-bits", values.getOrDefault(SampleValue.MBITS.text(), 0.0) * MEGA);
                copy(values, SampleValue.OCTETS, summary, "throughput-bytes");
                copy(values, SampleValue.SECONDS, summary, "end");
                count(values, SampleValue.RETRANSMISSIONS, summary, "retransmits");
                result.putArray("intervals");
            }
            case ROUND_TRIP -> {
                type = "rtt";
                if (!values.containsKey(SampleValue.LOSS.text())) {
                    return null;
                }
                copy(values, SampleValue.LOSS, result, "loss");
                count(values, SampleValue.SENT, result, "sent");
                count(values, SampleValue.RECEIVED, result, "received");
                result.putArray("roundtrips");
                millis(values, SampleValue.RTT_MIN, result, "min");
                millis(values, SampleValue.RTT_MEDIAN, result, "mean");
                millis(values, SampleValue.RTT_MAX, result, "max");
            }
            default -> {
                return null;
            }
        }
        ObjectNode test = root.putObject("test").put("type", type);
        test.putObject("spec").put("schema", 1).put("source", hosts.apply(line.from())).put("dest", hosts.apply(line.to()));
        ArrayNode participants = root.putArray("participants").add(hosts.apply(line.from()));
        if (line.kind() == Kind.THROUGHPUT) {
            participants.add(hosts.apply(line.to()));
        }
        root.putObject("tool").put("name", "tamanoir").put("version", "1");
        String run = "tamanoir:" + line.theodolite() + "/" + line.boot() + "/" + line.number();
        Duration lasts = Duration.ofMillis(Math.round(values.getOrDefault(SampleValue.SECONDS.text(), 0.0) * MILLIS));
        String begins = Instant.ofEpochMilli(line.time()).minus(lasts).toString();
        root.put("id", UUID.nameUUIDFromBytes(run.getBytes(StandardCharsets.UTF_8)).toString());
        root.putObject("schedule").put("start", begins).put("duration", lasts.toString());
        root.putObject("run").put("start-time", begins).put("duration", lasts.toString()).put("href", run);
        return root.toString();
    }

    private static void copy(Map<String, Double> values, SampleValue from, ObjectNode to, String name) {
        if (values.containsKey(from.text())) {
            to.put(name, values.get(from.text()));
        }
    }

    private static void count(Map<String, Double> values, SampleValue from, ObjectNode to, String name) {
        if (values.containsKey(from.text())) {
            to.put(name, Math.round(values.get(from.text())));
        }
    }

    private static void millis(Map<String, Double> values, SampleValue from, ObjectNode to, String name) {
        if (values.containsKey(from.text())) {
            to.put(name, Duration.ofNanos(Math.round(values.get(from.text()) * MEGA)).toString());
        }
    }
}
