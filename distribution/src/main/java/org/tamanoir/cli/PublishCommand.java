package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.interest.EventPublisher;
import org.tamanoir.client.interest.Heard.Content;
import org.tamanoir.client.interest.SpaceDatagrams;
import org.tamanoir.client.interest.SpaceStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir publish}: lines of standard input as events. */
@Command(name = "publish", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Publish each line of standard input as an event; the service interest delivers it to its subscribers (services/interest/README.md).",
        footer = {"", "Example:", "  tamanoir publish --via localhost:3322 --to 10.0.0.1:3322 sensors/hall/7 < readings", "", "Exit codes: " + ExitCode.EXPLAINED})
final class PublishCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Spec
    private CommandSpec spec;

    @Mixin
    private RootOptions root;

    @Option(names = "--position", split = ",", paramLabel = "FIELD", description = "The two fields of the data that hold the position, such as lon,lat. Default: events have no position.")
    private List<String> position = List.of();

    @Option(names = "--udp", description = "Publish by datagrams, for events that may be lost: a slow node makes no publisher wait, and its kernel can drop events that nobody "
            + "wants.")
    private boolean udp;

    @Parameters(paramLabel = "TOPIC", description = "Topic of the events: levels separated by slashes.")
    private String topic;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!position.isEmpty() && position.size() != 2) {
            throw new ParameterException(spec.commandLine(), "--position takes two fields: x,y");
        }
        try (TamanoirClient client = new TamanoirClient(); EventPublisher events = publisher(client);
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                JsonNode data = json(line);
                events.publish(topic, data == null ? Content.OCTETS : Content.JSON, position(data), line.getBytes(StandardCharsets.UTF_8));
                if (!in.ready()) {
                    events.flush();
                }
            }
            events.finish();
        }
        return ExitCode.DONE;
    }

    private EventPublisher publisher(TamanoirClient client) throws InterruptedException {
        return udp ? SpaceDatagrams.open(client, root.way(client)) : SpaceStream.open(client, root.way(client));
    }

    /** Null for a line that is none: its octets are published as they are. */
    private static JsonNode json(String line) {
        try {
            JsonNode data = JSON.readTree(line);
            return data == null || data.isMissingNode() ? null : data;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private double[] position(JsonNode data) {
        if (position.isEmpty() || data == null || !data.path(position.get(0)).isNumber() || !data.path(position.get(1)).isNumber()) {
            return null;
        }
        return new double[] {data.get(position.get(0)).doubleValue(), data.get(position.get(1)).doubleValue()};
    }
}
