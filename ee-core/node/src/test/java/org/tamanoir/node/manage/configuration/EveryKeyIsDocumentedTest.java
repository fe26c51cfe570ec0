package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.settings.Settings;

/** Every key that a configuration may have stands in the pages for operators, those of limits with their defaults. */
class EveryKeyIsDocumentedTest {
    private static final Path DOCS = Path.of("../../docs");

    private static String page(String name) throws IOException {
        return Files.readString(DOCS.resolve(name));
    }

    private static List<String> keys(Class<?> section) {
        return Arrays.stream(section.getRecordComponents()).map(EveryKeyIsDocumentedTest::key).toList();
    }

    private static String key(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named != null ? named.value() : component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void inTheTableOfTheConfiguration() throws Exception {
        String rows = String.join("\n", page("operating.md").lines().filter(line -> line.startsWith("| ")).toList());
        Stream<String> own = keys(NodeConfiguration.class).stream().filter(key -> !List.of("limits", "links", "probes", "tcp-state", "fireflies", "traces").contains(key));
        Stream<String> nested = Stream.of("limits", "links", "probes", "tcp-state", "fireflies", "traces").flatMap(section -> keys(switch (section) {
            case "limits" -> Limits.class;
            case "links" -> LinksSection.class;
            case "probes" -> ProbesSection.class;
            case "tcp-state" -> TcpStateSection.class;
            case "traces" -> TracesSection.class;
            default -> FirefliesSection.class;
        }).stream().map(key -> section + ": " + key));
        assertThat(Stream.concat(own, nested)).allSatisfy(key -> assertThat(rows).containsPattern("(?m)^\\| [^|]*`" + key + "`"));
    }

    @ParameterizedTest
    @ValueSource(classes = {UpgradeSection.class, PolicySection.class, WorkersSection.class, WasmSection.class, KernelSection.class, LightSection.class, ClusterSection.class})
    void inTheTableOfItsSection(Class<?> section) throws Exception {
        String pages = page("operating.md") + page("light-services.md");
        assertThat(keys(section)).allSatisfy(key -> assertThat(pages).containsPattern("`([a-z]+: )?" + key + "(:[^`]*)?`|(?m)^ *" + key + ":"));
    }

    @Test
    void withItsDefault() throws Exception {
        String page = page("operating.md");
        Limits limits = NodeConfiguration.of(Settings.none()).limits();
        for (RecordComponent component : Limits.class.getRecordComponents()) {
            Matcher row = Pattern.compile("(?m)^\\| `limits: " + key(component) + "` \\| `?([0-9a-z]+)").matcher(page);
            Object preset = component.getAccessor().invoke(limits);
            assertThat(row.find()).as(key(component)).isTrue();
            assertThat(row.group(1)).as(key(component)).isEqualTo(preset instanceof Duration time ? ConfigurationValues.text(time) : preset.toString());
        }
    }
}
