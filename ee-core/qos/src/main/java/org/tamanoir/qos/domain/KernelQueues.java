package org.tamanoir.qos.domain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.RateText;
import org.tamanoir.qos.domain.Domain.Queue;
import org.tamanoir.qos.domain.Queues.Branch;

/**
 * What the kernel says of an interface.
 *
 * @param root   what stands at the root: {@code htb 5404:}
 * @param owner  whose it is
 * @param text   the line of {@code tc qdisc show} of the root
 * @param queues ours; none if the root is not ours
 * @param counts by the number of the class
 */
record KernelQueues(String root, Owner owner, String text, Queues queues, Map<Integer, Count> counts) {
    /** Whose the queues of an interface are. */
    enum Owner {
        /** The kernel's own, which it has put there by itself. */
        NOBODY,
        OURS,
        SOMEBODY
    }

    /** What a class has done since it was made; octets include the Ethernet header. @param early what its queue did before it was full; empty if it is of no such kind */
    record Count(long packets, long octets, long dropped, long waitingPackets, long waitingOctets, List<DomainStatus.Early> early) {
    }

    private record Leaf(Queue queue, List<DomainStatus.Early> early) {
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OURS = Integer.toHexString(Queues.HANDLE) + ":";
    // tc of iproute2 6.1 has no JSON for classes. "leaf 5441:" and "prio 0 quantum 1514" stand only at those without children.
    private static final Pattern CLASS = Pattern.compile("class htb " + OURS + "([0-9a-f]+) (?:root|parent \\S+)(?: leaf \\S+)?"
            + "(?: prio (\\d+))?(?: quantum (\\d+))? rate (\\S+) ceil (\\S+) .*");
    private static final Pattern SENT = Pattern.compile(" Sent (\\d+) bytes (\\d+) pkt \\(dropped (\\d+),.*");
    private static final Pattern BACKLOG = Pattern.compile(" (?:rate \\S+ \\S+ )?backlog (\\d+)([KM]?)b (\\d+)p .*");

    static KernelQueues read(TrafficControl tc, String device) {
        JsonNode root = root(tc, device);
        String name = root.path("kind").asText("noqueue") + " " + root.path("handle").asText("0:");
        String handle = root.path("handle").asText("0:");
        if (!handle.equals(OURS)) {
            return new KernelQueues(name, handle.equals("0:") ? Owner.NOBODY : Owner.SOMEBODY, text(tc, device), Queues.none(), Map.of());
        }
        if (!root.path("kind").asText().equals("htb")) {
            return new KernelQueues(name, Owner.SOMEBODY, text(tc, device), Queues.none(), Map.of());
        }
        TreeMap<Integer, Branch> classes = new TreeMap<>();
        Map<Integer, Count> counts = new HashMap<>();
        long link = classes(tc, device, classes, counts);
        return new KernelQueues(name, Owner.OURS, text(tc, device), new Queues(link, classes, filters(tc, device)), counts);
    }

    private static JsonNode root(TrafficControl tc, String device) {
        for (JsonNode each : json(tc, "-j", "qdisc", "show", "dev", device)) {
            if (each.path("root").asBoolean()) {
                return each;
            }
        }
        return JSON.createObjectNode();
    }

    private static String text(TrafficControl tc, String device) {
        return tc.ask(List.of("qdisc", "show", "dev", device)).lines().filter(line -> line.contains(" root ")).findFirst().orElse("").strip();
    }

    /** @return bits a second of the trunk; 1 if there is none, which is no rate that a file can ask for */
    private static long classes(TrafficControl tc, String device, Map<Integer, Branch> classes, Map<Integer, Count> counts) {
        Map<Integer, Leaf> leaves = leaves(tc, device);
        long link = 1;
        int number = 0;
        long[] sent = new long[3];
        for (String line : tc.ask(List.of("-s", "-d", "class", "show", "dev", device)).lines().toList()) {
            Matcher found = CLASS.matcher(line);
            Matcher sum = SENT.matcher(line);
            Matcher waiting = BACKLOG.matcher(line);
            if (found.matches()) {
                number = Integer.parseInt(found.group(1), 16);
                if (number == Queues.TRUNK) {
                    link = RateText.bits(found.group(4));
                } else {
                    classes.put(number, new Branch(RateText.bits(found.group(4)), RateText.bits(found.group(5)), number(found.group(2)),
                            number(found.group(3)), leaf(leaves, number).queue()));
                }
            } else if (sum.matches()) {
                sent = new long[] {Long.parseLong(sum.group(2)), Long.parseLong(sum.group(1)), Long.parseLong(sum.group(3))};
            } else if (waiting.matches()) {
                long unit = waiting.group(2).equals("K") ? 1024 : waiting.group(2).equals("M") ? 1 << 20 : 1;
                counts.put(number, new Count(sent[0], sent[1], sent[2], Long.parseLong(waiting.group(3)), unit * Long.parseLong(waiting.group(1)),
                        leaf(leaves, number).early()));
            }
        }
        return link;
    }

    private static int number(String text) {
        return text == null ? -1 : Integer.parseInt(text);
    }

    private static Leaf leaf(Map<Integer, Leaf> leaves, int number) {
        return leaves.getOrDefault(number, new Leaf(null, List.of()));
    }

    private static Map<Integer, Leaf> leaves(TrafficControl tc, String device) {
        Map<Integer, Leaf> leaves = new HashMap<>();
        for (JsonNode each : json(tc, "-j", "-s", "-d", "qdisc", "show", "dev", device)) {
            String parent = each.path("parent").asText();
            for (Queue.Kind kind : Queue.Kind.values()) {
                if (parent.startsWith(OURS) && each.path("kind").asText().equals(kind.text())) {
                    leaves.put(Integer.parseInt(parent.substring(OURS.length()), 16), leaf(kind, each));
                }
            }
        }
        return leaves;
    }

    private static Leaf leaf(Queue.Kind kind, JsonNode of) {
        JsonNode options = of.path("options");
        long limit = options.path("limit").asLong();
        return switch (kind) {
            case RED -> new Leaf(new Queue(kind, limit, early(List.of(options))),
                    List.of(new DomainStatus.Early(of.path("packets").asLong() + of.path("drops").asLong(), of.path("marked").asLong(), of.path("early").asLong(), of.path("drops").asLong() - of.path("early").asLong())));
            case GRED -> new Leaf(new Queue(kind, limit, early(bands(options))), bands(options).stream().map(each -> new DomainStatus.Early(each.path("packets").asLong(),
                    each.path("prob_mark").asLong() + each.path("forced_mark").asLong(), each.path("prob_drop").asLong(),
                    each.path("forced_drop").asLong() + each.path("pdrop").asLong())).toList());
            default -> new Leaf(new Queue(kind, limit), List.of());
        };
    }

    private static List<JsonNode> bands(JsonNode gred) {
        List<JsonNode> bands = new ArrayList<>();
        gred.path("vqs").forEach(bands::add);
        return bands;
    }

    private static Domain.Early early(List<JsonNode> bands) {
        return new Domain.Early(bands.stream().map(each -> new Domain.Band(each.path("min").asLong(), each.path("max").asLong())).toList(),
                (int) Math.round(100 * bands.get(0).path("probability").asDouble()), bands.get(0).path("ecn").asBoolean());
    }

    private static Set<Filter> filters(TrafficControl tc, String device) {
        Set<Filter> filters = new TreeSet<>();
        for (JsonNode each : json(tc, "-j", "filter", "show", "dev", device, "parent", OURS)) {
            String flow = each.path("options").path("flowid").asText();
            int precedence = each.path("pref").asInt();
            if (flow.startsWith(OURS) && Filter.isKnown(precedence)) {
                filters.add(new Filter(precedence, Integer.parseInt(flow.substring(OURS.length()), 16)));
            }
        }
        return filters;
    }

    private static JsonNode json(TrafficControl tc, String... arguments) {
        String answer = tc.ask(List.of(arguments));
        try {
            return answer.isBlank() ? JSON.createArrayNode() : JSON.readTree(answer);
        } catch (JsonProcessingException e) {
            throw new AnepException(ErrorCode.DOMAIN_FAILED, "tc wrote no JSON to '" + String.join(" ", arguments)
                    + "': iproute2 5.0 or later is needed", e);
        }
    }
}
