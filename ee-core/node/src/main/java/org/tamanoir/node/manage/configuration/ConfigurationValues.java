package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.offload.KernelSettings;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.trace.TraceSettings.Follow;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;
import org.tamanoir.settings.Settings;

/** How the texts of a configuration become values, and checks that sections share. */
final class ConfigurationValues {
    /** Texts that become values of other types than Jackson knows. */
    static final Module TYPES = new SimpleModule().addDeserializer(InetAddress.class, text(InetAddress.class, ClusterSection::literal))
            .addDeserializer(InetSocketAddress.class, text(InetSocketAddress.class, text -> Settings.address("it", text)))
            .addDeserializer(Duration.class, text(Duration.class, text -> MapConfiguration.parseDuration("it", text)))
            .addDeserializer(Peer.class, text(Peer.class, Peer::parse))
            .addDeserializer(Prefix.class, text(Prefix.class, Prefix::parse))
            .addDeserializer(Endpoint.class, text(Endpoint.class, Endpoint::parse))
            .addDeserializer(KernelSettings.Use.class, text(KernelSettings.Use.class, KernelSection::use))
            .addDeserializer(FailurePolicy.class, text(FailurePolicy.class, PolicySection::failurePolicy))
            .addDeserializer(Follow.class, text(Follow.class, TracesSection::follow))
            .addSerializer(Duration.class, new StdScalarSerializer<>(Duration.class) {
                @Override
                public void serialize(Duration time, JsonGenerator out, SerializerProvider provider) throws IOException {
                    out.writeString(text(time));
                }
            });
    private static final YAMLMapper YAML = YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER).build();
    private static final ObjectMapper JSON = new ObjectMapper().registerModule(TYPES);

    private ConfigurationValues() {
    }

    private static <T> StdScalarDeserializer<T> text(Class<T> type, Function<String, T> parse) {
        return new StdScalarDeserializer<>(type) {
            @Override
            public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
                if (!parser.currentToken().isScalarValue()) {
                    context.handleUnexpectedToken(String.class, parser);
                }
                return parse.apply(parser.getText());
            }
        };
    }

    /** A section by its names and values, for JSON; times are written as in the file. */
    static Map<?, ?> shown(Object section) {
        return JSON.convertValue(section, Map.class);
    }

    /** Keys and values as an operator would write them. */
    static String yaml(Map<String, Object> values) {
        try {
            return YAML.writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read can be written", e);
        }
    }

    /** {@code 1500ms}, {@code 10s}, {@code 5m}, {@code 1h}: the largest unit that leaves no fraction. */
    static String text(Duration time) {
        long millis = time.toMillis();
        return millis % 1000 != 0 ? millis + "ms" : millis % 60_000 != 0 || millis == 0 ? millis / 1000 + "s"
                : millis % 3_600_000 != 0 ? millis / 60_000 + "m" : millis / 3_600_000 + "h";
    }

    /** A copy of a list; null is an empty one. @throws BadSetting if one of it has no value */
    static <T> List<T> all(String key, List<T> values) {
        if (values != null && values.stream().anyMatch(Objects::isNull)) {
            throw new BadSetting(key, "one of the list has no value");
        }
        return values == null ? List.of() : List.copyOf(values);
    }

    static <T> T or(T value, T preset) {
        return value == null ? preset : value;
    }

    /** @throws BadSetting unless it is null, or within both bounds */
    static <T extends Number> T within(String key, T value, long least, long most) {
        if (value != null && (value.longValue() < least || value.longValue() > most)) {
            throw new BadSetting(key, most == Long.MAX_VALUE ? "it is " + value + "; it must be at least " + least
                    : "it is " + value + "; it must be from " + least + " to " + most);
        }
        return value;
    }

    /** @throws BadSetting unless it is null or at least 1 */
    static <T extends Number> T positive(String key, T value) {
        return within(key, value, 1, Long.MAX_VALUE);
    }

    /** @throws BadSetting if it is 0 */
    static Duration positive(String key, Duration value) {
        if (value != null && value.isZero()) {
            throw new BadSetting(key, "it must not be 0");
        }
        return value;
    }
}
