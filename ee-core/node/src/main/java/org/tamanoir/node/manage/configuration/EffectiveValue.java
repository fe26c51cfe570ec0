package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tamanoir.node.fleet.FleetPartFile;
import org.tamanoir.node.fleet.StoredPart;
import org.tamanoir.settings.Settings;

/**
 * What holds for one key of a configuration.
 *
 * @param key  with its sections, {@code limits.streams}
 * @param line  in which the file says so, from 1; null if it does not
 * @param fleet the generation of the node's fleet that says so, wholly or besides the file; null if none does
 */
public record EffectiveValue(String key, String value, Integer line, Long fleet) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * Every key, in the order of the documentation. A section that is not written and has no defaults is one key with the value {@code none}. What a node has of
     * its fleet is in it, if its directory can be read.
     *
     * @throws org.tamanoir.anep.AnepException EE-501 if a node does not take the file
     */
    public static List<EffectiveValue> all(Path file) {
        Settings settings = Settings.of(file);
        NodeConfiguration whole = NodeConfiguration.of(settings);
        StoredPart part = part(whole);
        if (part != null) {
            whole = NodeConfiguration.of(settings.below(MAPPER.convertValue(part.part().values(), new TypeReference<Map<String, Object>>() { })));
        }
        List<EffectiveValue> values = new ArrayList<>();
        add(values, settings, part, List.of(), whole);
        return values;
    }

    private static StoredPart part(NodeConfiguration own) {
        try {
            StoredPart kept = own.fleet() == null ? null : new FleetPartFile(own.dataDirectory()).look();
            return kept == null || !kept.part().node().equals(own.fleet().name()) ? null : kept;
        } catch (IOException e) {
            return null;
        }
    }

    /** What the fleet says of a key; null for nothing. */
    private static JsonNode said(StoredPart part, List<String> path) {
        JsonNode at = part == null ? null : part.part().values();
        for (String name : path) {
            at = at == null ? null : at.get(name);
        }
        return at;
    }

    private static void add(List<EffectiveValue> values, Settings settings, StoredPart part, List<String> section, Record record) {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            List<String> path = new ArrayList<>(section);
            path.add(KebabCaseStrategy.INSTANCE.translate(component.getName()));
            Object value = value(component, record);
            Optional<Settings.Written> written = settings.written(path);
            if (value instanceof Record inner && isSection(inner)) {
                add(values, settings, part, path, inner);
            } else {
                JsonNode said = said(part, path);
                // Of a map both may say something.
                boolean both = said != null && (written.isEmpty() || said.isObject());
                values.add(new EffectiveValue(String.join(".", path), both ? text(value) : written.map(Settings.Written::text).orElseGet(() -> text(value)),
                        written.map(Settings.Written::line).orElse(null), both ? (Long) part.generation() : null));
            }
        }
    }

    private static boolean isSection(Record record) {
        return record.getClass().getPackage() == EffectiveValue.class.getPackage() && !(record instanceof Endpoint);
    }

    private static Object value(RecordComponent component, Record record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As an operator would write it. */
    private static String text(Object value) {
        if (value == null) {
            return "none";
        }
        if (value instanceof Endpoint endpoint) {
            return endpoint.auto() ? "auto" : text(endpoint.address());
        }
        if (value instanceof InetSocketAddress address) {
            String host = address.getAddress() == null ? address.getHostString() : address.getAddress().getHostAddress();
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
        }
        if (value instanceof Duration time) {
            return ConfigurationValues.text(time);
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(EffectiveValue::text).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(each -> text(each.getKey()) + ": " + text(each.getValue())).collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof Enum<?> constant ? constant.name().toLowerCase(Locale.ROOT) : value.toString();
    }
}
