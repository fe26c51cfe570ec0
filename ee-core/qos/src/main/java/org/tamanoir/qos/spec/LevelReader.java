package org.tamanoir.qos.spec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Flow;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.qos.ServiceLevel.Reliability;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.qos.ServiceLevel.Transfer;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;

/**
 * Reads an Open Service Level Specification (active grid paper, section 4.1; its fields are those of the TEQUILA template that DataGRID
 * section 3.2.1 asks for). Everything that makes no sense is EE-801 with the field: {@code objectives.maxDelayMs is -3; …}.
 */
public final class LevelReader {
    /** Characters of a text: ten times what one that says everything has. */
    public static final int MOST_TEXT = 8192;
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    private static final int MOST_EGRESS = 16;
    private static final int MOST_MTU = 65_535;
    private static final int LEAST_MTU = 68;
    private static final int PRESET_MTU = 1500;
    private static final long MOST_SHAPE_MS = 10_000;
    /** A bucket that was not said holds what comes in 50 ms, and never less than two packets. */
    private static final int BUCKETS_A_SECOND = 20;

    private LevelReader() {
    }

    /**
     * Reads a text: JSON if it begins with a brace, otherwise the {@linkplain ShortForm short form}.
     *
     * @throws AnepException EE-801
     */
    public static ServiceLevel read(String text) {
        if (text.length() > MOST_TEXT) {
            throw Fields.wrong("the text", "has " + text.length() + " characters; it may have " + MOST_TEXT);
        }
        if (!text.stripLeading().startsWith("{")) {
            return read(ShortForm.toJson(text));
        }
        try {
            return read(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            throw Fields.wrong("the text", "is no JSON: " + e.getOriginalMessage());
        }
    }

    /** Reads an object that has been parsed. */
    public static ServiceLevel read(JsonNode json) {
        Fields all = new Fields("", json);
        Flow flow = flow(all.object("flow"));
        Fields scope = all.object("scope");
        String ingress = scope == null ? null : scope.text("ingress");
        ServiceLevel level = new ServiceLevel(flow, ingress, scope == null ? List.of() : scope.texts("egress", MOST_EGRESS),
                all.text("customer"), ObjectivesReader.read(all.object("objectives")), traffic(all.object("traffic")), excess(all),
                time(all, "start"), time(all, "stop"), reliability(all.object("reliability")), bothWays(all));
        if (scope != null) {
            scope.end();
        }
        Fields schedule = all.object("schedule");
        if (schedule != null) {
            schedule.time("start");
            schedule.time("stop");
            schedule.end();
        }
        all.end();
        Contradictions.check(level);
        return level;
    }

    private static Flow flow(Fields flow) {
        if (flow == null) {
            return new Flow(Transport.TCP, null, null, 0, 0, 0);
        }
        String transport = flow.text("transport");
        if (transport != null && !transport.equalsIgnoreCase("tcp") && !transport.equalsIgnoreCase("udp")) {
            throw flow.bad("transport", "is '" + transport + "'; it must be tcp or udp");
        }
        Flow read = new Flow(transport == null ? Transport.TCP : Transport.valueOf(transport.toUpperCase(Locale.ROOT)),
                prefix(flow, "source"), prefix(flow, "destination"), (int) flow.whole("sourcePort", 0, 1, 65_535, ""),
                (int) flow.whole("destinationPort", 0, 1, 65_535, ""), stream(flow));
        flow.end();
        return read;
    }

    private static Prefix prefix(Fields flow, String name) {
        String text = flow.text(name);
        try {
            return text == null ? null : Prefix.parse(text);
        } catch (AnepException e) {
            throw flow.bad(name, "is no prefix: " + e.text());
        }
    }

    private static long stream(Fields flow) {
        String text = flow.text("stream");
        try {
            return text == null ? 0 : Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            throw flow.bad("stream", "is '" + text + "'; it must be 1 to 16 hexadecimal digits");
        }
    }

    private static Traffic traffic(Fields traffic) {
        if (traffic == null) {
            return null;
        }
        long rate = traffic.whole("rate", 0, 1, Meter.MOST_RATE, " octets a second");
        int mtu = (int) traffic.whole("mtu", PRESET_MTU, LEAST_MTU, MOST_MTU, " octets");
        long bucket = traffic.whole("bucket", bucket(rate, mtu), 1, Meter.MOST_BURST, " octets");
        long peak = traffic.whole("peak", 0, 1, Meter.MOST_RATE, " octets a second");
        int least = (int) traffic.whole("least", 0, 0, MOST_MTU, " octets");
        if (rate == 0) {
            throw traffic.bad("rate", "is missing");
        }
        if (bucket < mtu) {
            throw traffic.bad("bucket", "is " + bucket + " octets; the largest packet (mtu, " + mtu + ") does not fit");
        }
        if (peak != 0 && peak < rate) {
            throw traffic.bad("peak", "is " + peak + " octets a second, less than rate, " + rate);
        }
        if (least > mtu) {
            throw traffic.bad("least", "is " + least + " octets, more than mtu, " + mtu);
        }
        traffic.end();
        return new Traffic(rate, bucket, peak, mtu, least);
    }

    /** The bucket of a rate for which none was said; octets. */
    public static long bucket(long rate, int mtu) {
        return Math.min(Meter.MOST_BURST, Math.max(2L * mtu, rate / BUCKETS_A_SECOND));
    }

    private static Excess excess(Fields all) {
        String text = all.text("excess");
        if (text == null || text.equals("drop")) {
            return new Excess.Drop();
        }
        if (text.startsWith("remark:")) {
            String name = text.substring("remark:".length());
            return new Excess.Remark(StandardClass.named(name).map(StandardClass::text).orElse(name));
        }
        if (text.startsWith("shape:") && text.endsWith("ms")) {
            try {
                long ms = Long.parseLong(text.substring("shape:".length(), text.length() - 2));
                if (ms >= 1 && ms <= MOST_SHAPE_MS) {
                    return new Excess.Shape(Duration.ofMillis(ms));
                }
            } catch (NumberFormatException e) {
                // Said below.
            }
        }
        throw all.bad("excess", "is '" + text + "'; it must be drop, remark:CLASS, or shape:Nms with N from 1 to " + MOST_SHAPE_MS);
    }

    private static boolean bothWays(Fields all) {
        String text = all.text("directions");
        if (text != null && !text.equals("both") && !text.equals("there")) {
            throw all.bad("directions", "is '" + text + "'; it must be both, or there (for what is sent alone)");
        }
        return "both".equals(text);
    }

    private static Instant time(Fields all, String name) {
        Fields schedule = all.object("schedule");
        return schedule == null ? null : schedule.time(name);
    }

    private static Reliability reliability(Fields reliability) {
        if (reliability == null) {
            return null;
        }
        Reliability read = new Reliability(reliability.number("meanDowntime", 0, 527_040, " minutes a year"),
                reliability.number("timeToRepair", 0, 31_622_400, " seconds"));
        reliability.end();
        return read;
    }

    /** What cannot be true at the same time. */
    static final class Contradictions {
        private static final double BITS = 8;
        private static final double MEGA = 1e6;

        private Contradictions() {
        }

        static void check(ServiceLevel level) {
            Traffic traffic = level.traffic();
            if (traffic != null && level.objectives().rate() instanceof Goal.Limit least && least.value() * MEGA > traffic.rate() * BITS) {
                throw Fields.wrong("objectives.minRateMbps", "is " + least.value() + " Mbit/s, and the flow sends no more than traffic.rate, "
                        + traffic.rate() * BITS / MEGA + " Mbit/s");
            }
            if (level.excess() instanceof Excess.Shape shape && level.objectives().delay() instanceof Goal.Limit most
                    && shape.most().toMillis() > most.value()) {
                throw Fields.wrong("excess", "lets packets wait " + shape.most().toMillis() + " ms, longer than objectives.maxDelayMs, "
                        + most.value() + " ms");
            }
            if (level.start() != null && level.stop() != null && !level.stop().isAfter(level.start())) {
                throw Fields.wrong("schedule.stop", "is " + level.stop() + ", not after schedule.start, " + level.start());
            }
            if (level.bothWays() && level.flow().transport() == Transport.UDP) {
                throw Fields.wrong("directions", "is both, and the flow is of datagrams, which come back as a flow of their own; open a session for that one");
            }
            if (level.objectives().transfer() != null) {
                transfer(level, level.objectives().transfer());
            }
            if (level.flow().transport() == Transport.TCP && level.objectives().loss() instanceof Goal.Limit lost && lost.value() >= 100
                    || level.objectives().loss() instanceof Goal.Limit all && all.value() >= 100 && level.objectives().rate() != null) {
                throw Fields.wrong("objectives.maxLossPct", "of 100 asks for nothing to arrive");
            }
        }

        private static void transfer(ServiceLevel level, Transfer transfer) {
            if (level.objectives().rate() != null) {
                throw Fields.wrong("objectives.size", "stands beside a rate; the rate follows from the size and the time that is left");
            }
            Traffic traffic = level.traffic();
            double seconds = transfer.within() == null ? Double.POSITIVE_INFINITY : transfer.within().toMillis() / 1e3;
            if (traffic != null && transfer.size() / seconds > traffic.rate()) {
                throw Fields.wrong("objectives.size", "needs " + Math.round(transfer.size() / seconds) + " octets a second, and the flow sends no more "
                        + "than traffic.rate, " + traffic.rate());
            }
            if (transfer.by() != null && (level.start() != null && !transfer.by().isAfter(level.start())
                    || level.stop() != null && transfer.by().isAfter(level.stop()))) {
                throw Fields.wrong("objectives.by", "is " + transfer.by() + ", outside of the schedule");
            }
            if (transfer.within() != null && level.start() != null && level.stop() != null
                    && transfer.within().compareTo(Duration.between(level.start(), level.stop())) > 0) {
                throw Fields.wrong("objectives.within", "is " + transfer.within().toSeconds() + " s, longer than the schedule");
            }
        }
    }
}
