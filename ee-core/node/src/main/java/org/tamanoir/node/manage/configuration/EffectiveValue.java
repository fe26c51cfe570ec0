package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
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
import org.tamanoir.settings.Settings;

/**
 * What holds for one key of a configuration.
 *
 * @param key  with its sections, {@code limits.streams}
 * @param line in which the file says so, from 1; null for a default
 */
public record EffectiveValue(String key, String value, Integer line) {
    /**
     * Every key, in the order of the documentation. A section that is not written and has no defaults is one key with the value {@code none}.
     *
     * @throws org.tamanoir.anep.AnepException EE-501 if a node does not take the file
     */
    public static List<EffectiveValue> all(Path file) {
        Settings settings = Settings.of(file);
        List<EffectiveValue> values = new ArrayList<>();
        add(values, settings, List.of(), NodeConfiguration.of(settings));
        return values;
    }

    private static void add(List<EffectiveValue> values, Settings settings, List<String> section, Record record) {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            List<String> path = new ArrayList<>(section);
            path.add(KebabCaseStrategy.INSTANCE.translate(component.getName()));
            Object value = value(component, record);
            Optional<Settings.Written> written = settings.written(path);
            if (value instanceof Record inner && isSection(inner)) {
                add(values, settings, path, inner);
            } else {
                values.add(new EffectiveValue(String.join(".", path), written.map(Settings.Written::text).orElseGet(() -> text(value)),
                        written.map(Settings.Written::line).orElse(null)));
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
