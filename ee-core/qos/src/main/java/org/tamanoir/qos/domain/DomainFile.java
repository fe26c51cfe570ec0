package org.tamanoir.qos.domain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.RateText;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.domain.Domain.Queue;

/**
 * Reads what is asked for, in YAML. Only the rate of the link is needed; {@code docs/qos.md} has the whole form.
 *
 * <pre>
 * rate: 200mbit
 * classes:
 *   ef:  {rate: 10%, queue: 5ms}
 *   be:  {rate: 89%, queue: 100ms, red: {bands: [20-80%], percent: 2}}
 *   lbe: {rate: 1%, code-points: [1, 8]}
 * </pre>
 */
public final class DomainFile {
    private static final long MOST_OCTETS = 64 << 10;
    private static final Set<String> TOP = Set.of("rate", "leaf", "classes");
    private static final Set<String> FIELDS = Set.of("rate", "ceil", "queue", "red", "code-points");
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,4})?) ?%");
    private static final Pattern QUEUE = Pattern.compile("(\\d{1,6}) ?(ms|packets)?");
    private static final int MOST_MILLIS = 10_000;
    private static final int MOST_PACKETS = 100_000;
    /** A queue of a time holds so many frames whatever its rate. */
    private static final int LEAST_FRAMES = 10;
    /** Percent of the link that a class has where the file does not say. */
    private static final Map<StandardClass, Integer> PERCENTS = new EnumMap<>(Map.of(StandardClass.EF, 10, StandardClass.AF_TCP, 30,
            StandardClass.AF_UDP, 20, StandardClass.BE, 39, StandardClass.LBE, 1));
    /** Milliseconds of a class's ceiling that its queue holds where the file does not say. */
    private static final Map<StandardClass, Integer> MILLIS = new EnumMap<>(Map.of(StandardClass.EF, 5, StandardClass.AF_TCP, 50,
            StandardClass.AF_UDP, 20, StandardClass.BE, 100, StandardClass.LBE, 100));

    private final JsonNode root;
    private final Set<Queue.Kind> kernel;
    private final boolean fair;
    private final long link;

    private DomainFile(JsonNode root, Set<Queue.Kind> kernel) {
        this.root = root;
        this.kernel = kernel;
        only(root, TOP, "");
        this.link = rate(root.path("rate"), "rate", 0);
        String leaf = root.path("leaf").asText("auto");
        if (!List.of("auto", "fifo").contains(leaf)) {
            throw bad("leaf", "takes auto or fifo");
        }
        this.fair = kernel.contains(Queue.Kind.FQ_CODEL) && leaf.equals("auto");
    }

    /**
     * Reads a file.
     *
     * @param kernel which kinds of queues it has besides plain ones. If fq_codel is among them the queues of all classes but EF are of that kind unless the file says
     *               otherwise
     * @throws AnepException (EE-501) if it cannot be read or makes no sense; the text names the field. (EE-810) if it asks for a kind that the kernel has not
     */
    public static Domain read(Path file, Set<Queue.Kind> kernel) {
        try {
            if (Files.size(file) > MOST_OCTETS) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " is longer than " + MOST_OCTETS + " octets");
            }
            return parse(Files.readString(file), kernel);
        } catch (AnepException e) {
            throw new AnepException(e.code(), file + ": " + e.text(), e);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /** The same for a text. */
    public static Domain parse(String yaml, Set<Queue.Kind> kernel) {
        try {
            return new DomainFile(new YAMLMapper().readTree(yaml), kernel).domain();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "this is no YAML: " + AnepException.reason(e), e);
        }
    }

    private Domain domain() {
        JsonNode classes = root.path("classes");
        if (root.has("classes")) {
            only(classes, Set.copyOf(List.of(StandardClass.values()).stream().map(StandardClass::key).toList()), "classes.");
            if (!classes.has(StandardClass.BE.key())) {
                throw bad("classes", "has no class be, in which everything is that belongs to no other");
            }
        }
        List<Domain.Share> shares = new ArrayList<>();
        for (StandardClass each : StandardClass.values()) {
            if (classes.isMissingNode() || classes.has(each.key())) {
                shares.add(share(each, classes.path(each.key())));
            }
        }
        check(shares);
        return new Domain(link, shares);
    }

    private Domain.Share share(StandardClass of, JsonNode node) {
        String where = "classes." + of.key() + ".";
        if (!node.isMissingNode() && !node.isNull()) {
            only(node, FIELDS, where);
        }
        long rate = node.has("rate") ? rate(node.path("rate"), where + "rate", link) : BitRates.printable(link / 100 * PERCENTS.get(of));
        if (rate < BitRates.LEAST) {
            throw bad(where + "rate", "is less than " + BitRates.LEAST + " bit a second");
        }
        long ceiling = node.has("ceil") ? rate(node.path("ceil"), where + "ceil", link) : of == StandardClass.EF ? rate : link;
        if (ceiling < rate || ceiling > link) {
            throw bad(where + "ceil", "must be from the rate of the class to that of the link");
        }
        List<Integer> points = codePoints(of, node, where);
        Queue queue = queue(of, node.path("queue"), where + "queue", ceiling, node.has("red"));
        return new Domain.Share(of, rate, ceiling, node.has("red") ? early(of, node.path("red"), where + "red", queue.limit(), points) : queue, points);
    }

    private Queue early(StandardClass of, JsonNode node, String where, long octets, List<Integer> codePoints) {
        if (of == StandardClass.EF) {
            throw bad(where, "is for no class that is served first: its queue is empty, or its rate is too small");
        }
        Domain.Early early = EarlyFields.read(node, where, octets, codePoints);
        Queue.Kind kind = early.bands().size() == 1 ? Queue.Kind.RED : Queue.Kind.GRED;
        if (!kernel.contains(kind)) {
            throw new AnepException(ErrorCode.DOMAIN_FAILED, where + " needs the kernel's sch_" + kind.text() + ", which this one neither has nor can load (CONFIG_NET_SCH_"
                    + kind.name() + "): use a kernel that has it, as Debian's, or leave 'red' out");
        }
        return new Queue(kind, octets, early);
    }

    /** @param plain whether it holds octets and nothing else */
    private Queue queue(StandardClass of, JsonNode node, String where, long ceiling, boolean plain) {
        Matcher form = QUEUE.matcher(node.isMissingNode() ? MILLIS.get(of) + "ms" : node.asText());
        if (!form.matches()) {
            throw bad(where, "is no length as 100ms or 200 packets");
        }
        boolean isTime = "ms".equals(form.group(2));
        long value = Long.parseLong(form.group(1));
        if (value < 1 || value > (isTime ? MOST_MILLIS : MOST_PACKETS)) {
            throw bad(where, "takes 1 to " + MOST_MILLIS + "ms or 1 to " + MOST_PACKETS + " packets");
        }
        long octets = Math.min(Integer.MAX_VALUE, Math.max(LEAST_FRAMES * (long) Queues.FRAME, Math.round(ceiling / 8e3 * value)));
        if (plain) {
            return new Queue(Queue.Kind.BFIFO, isTime ? octets : value * Queues.FRAME);
        }
        if (fair && of != StandardClass.EF) {
            return new Queue(Queue.Kind.FQ_CODEL, isTime ? octets / Queues.FRAME : value);
        }
        return isTime ? new Queue(Queue.Kind.BFIFO, octets) : new Queue(Queue.Kind.PFIFO, value);
    }

    private static List<Integer> codePoints(StandardClass of, JsonNode node, String where) {
        if (!node.has("code-points")) {
            return of.accepted();
        }
        Set<Integer> points = new TreeSet<>();
        for (JsonNode point : node.path("code-points")) {
            if (!point.isInt() || point.asInt() < 0 || point.asInt() > 63) {
                throw bad(where + "code-points", "holds " + point.asText() + ", which is not from 0 to 63");
            }
            points.add(point.asInt());
        }
        if (points.isEmpty()) {
            throw bad(where + "code-points", "is no list of code points");
        }
        return List.copyOf(points);
    }

    private void check(List<Domain.Share> shares) {
        long sum = shares.stream().mapToLong(Domain.Share::rate).sum();
        if (sum > link) {
            throw bad("classes", "promises " + BitRates.text(sum) + " of a link of " + BitRates.text(link));
        }
        Map<Integer, StandardClass> owners = new HashMap<>();
        for (Domain.Share share : shares) {
            for (int point : share.codePoints()) {
                StandardClass other = owners.put(point, share.of());
                if (other != null) {
                    throw bad("classes", "has code point " + point + " in " + other.key() + " and in " + share.of().key());
                }
            }
        }
    }

    /** @param whole of which a percentage is taken; 0 where none is allowed */
    private static long rate(JsonNode node, String where, long whole) {
        Matcher percent = PERCENT.matcher(node.asText());
        long rate = whole > 0 && percent.matches() ? Math.round(whole * Double.parseDouble(percent.group(1)) / 100) : RateText.bits(node.asText());
        if (rate < BitRates.LEAST || rate > BitRates.MOST) {
            throw bad(where, (node.isMissingNode() ? "is needed" : "is '" + node.asText() + "'") + ": a rate as 200mbit or 2.5gbit"
                    + (whole > 0 ? ", or a part of the link as 30%" : ""));
        }
        return BitRates.printable(rate);
    }

    static void only(JsonNode node, Set<String> names, String where) {
        if (!node.isObject()) {
            throw bad(where.isEmpty() ? "the file" : where.substring(0, where.length() - 1), "is no set of fields");
        }
        node.fieldNames().forEachRemaining(name -> {
            if (!names.contains(name)) {
                throw bad(where + name, "is not known; there is " + String.join(", ", new TreeSet<>(names)));
            }
        });
    }

    static AnepException bad(String field, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, field + " " + what);
    }
}
