package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.interest.Heard;
import org.tamanoir.client.interest.Heard.Content;
import org.tamanoir.client.interest.SpaceStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir subscribe}: events that are wanted, as lines of JSON. */
@Command(name = "subscribe", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Print matching events, as delivered by the service interest, one line of JSON each (services/interest/README.md). Standard error says "
                + "'in force' when the subscription is active, and how many events were lost.",
        footer = {"", "Example:", "  tamanoir subscribe --via localhost:3322 --to 10.0.0.1:3322 'sensors/#' --where 'data.t > 30.0'", "", "Exit codes: " + ExitCode.EXPLAINED})
final class SubscribeCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Spec
    private CommandSpec spec;

    @Mixin
    private RootOptions root;

    @Option(names = "--where", paramLabel = "CEL",
            description = "Only events for which this expression is true: Common Expression Language over data, topic, x, y and size. Default: all.")
    private String where;

    @Option(names = "--region", split = ",", paramLabel = "N", description = "Only events in this box: W,S,E,N. Default: everywhere.")
    private List<Double> region = List.of();

    @Option(names = "--every", paramLabel = "TIME", converter = Units.Time.class, defaultValue = "0s",
            description = "For each topic, at most one event per TIME, the latest. Default: ${DEFAULT-VALUE}, every event.")
    private Duration every;

    @Option(names = "--count", paramLabel = "N", defaultValue = "0", description = "Exit after this many events. Default: ${DEFAULT-VALUE}, never.")
    private long count;

    @Parameters(arity = "1..*", paramLabel = "TOPIC", description = "A topic, or all topics below a level, such as 'sensors/#'.")
    private List<String> topics;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!region.isEmpty() && region.size() != 4) {
            throw new ParameterException(spec.commandLine(), "--region takes four numbers: W,S,E,N");
        }
        try (TamanoirClient client = new TamanoirClient(); SpaceStream stream = SpaceStream.open(client, root.way(client))) {
            for (String topic : topics) {
                stream.subscribe(filter(topic));
            }
            long events = 0;
            int ready = 0;
            for (Heard heard = stream.receive(); heard != null; heard = stream.receive()) {
                if (heard instanceof Heard.Event event) {
                    PrintWriter out = spec.commandLine().getOut();
                    out.println(shown(event));
                    out.flush();
                    if (++events == count) {
                        return ExitCode.DONE;
                    }
                } else if (heard instanceof Heard.Ready && ++ready == topics.size()) {
                    say("in force");
                } else if (heard instanceof Heard.Dropped dropped) {
                    say(dropped.events() + " events lost" + (dropped.away() ? " on the way, for whomever they were" : ": they came faster than they were taken"));
                }
            }
        }
        throw new AnepException(ErrorCode.CONNECTION_LOST, "the node has ended the stream");
    }

    private void say(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    private String filter(String topic) {
        ObjectNode filter = JSON.createObjectNode().put("topic", topic);
        if (where != null) {
            filter.put("where", where);
        }
        if (!region.isEmpty()) {
            ArrayNode box = filter.putArray("region");
            region.forEach(box::add);
        }
        if (!every.isZero()) {
            filter.put("every", every.toMillis());
        }
        return filter.toString();
    }

    private static ObjectNode shown(Heard.Event event) throws IOException {
        ObjectNode shown = JSON.createObjectNode().put("topic", event.topic());
        if (event.position() != null) {
            shown.put("x", event.position()[0]).put("y", event.position()[1]);
        }
        JsonNode data = event.content() == Content.JSON ? json(event.data()) : null;
        if (data != null) {
            shown.set("data", data);
        } else {
            // Jackson writes octets in Base64.
            shown.put("content", event.content().name().toLowerCase(Locale.ROOT)).put("octets", event.data());
        }
        return shown;
    }

    private static JsonNode json(byte[] data) throws IOException {
        try {
            return JSON.readTree(data);
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
