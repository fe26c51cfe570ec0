package org.tamanoir.cli.fleet;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.state.FleetState;
import org.tamanoir.fleet.state.NodePart;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.Settings;

/** The folder in which operators write what they want: {@code fleet.yaml}, {@code groups/LABEL.yaml}, {@code nodes/NAME.yaml}. */
public final class FleetFolder {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String YAML = ".yaml";
    private static final List<String> FOLDERS = List.of("groups", "nodes");

    private FleetFolder() {
    }

    /**
     * The whole folder as one tree.
     *
     * @throws AnepException EE-640 that names the file, and the line if it is no YAML
     */
    public static JsonNode read(Path folder) {
        ObjectNode state = JsonNodeFactory.instance.objectNode();
        Path fleet = folder.resolve("fleet.yaml");
        if (!Files.isRegularFile(fleet)) {
            throw new AnepException(ErrorCode.FLEET_STATE, folder + " is no folder of a fleet: it has no fleet.yaml");
        }
        state.set("fleet", tree(folder, fleet));
        for (String name : FOLDERS) {
            Path within = folder.resolve(name);
            if (Files.isDirectory(within)) {
                ObjectNode fragments = state.putObject(name);
                files(within).forEach(file -> fragments.set(fragment(folder, file), tree(folder, file)));
            }
        }
        return state;
    }

    private static List<Path> files(Path within) {
        try (Stream<Path> files = Files.list(within)) {
            return files.filter(file -> !file.getFileName().toString().startsWith(".")).sorted().toList();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.FLEET_STATE, "cannot read " + within + ": " + AnepException.reason(e), e);
        }
    }

    private static String fragment(Path folder, Path file) {
        String name = file.getFileName().toString();
        if (!name.endsWith(YAML)) {
            throw new AnepException(ErrorCode.FLEET_STATE, folder.relativize(file) + " would be read by nobody: files there are called NAME" + YAML);
        }
        return name.substring(0, name.length() - YAML.length());
    }

    private static JsonNode tree(Path folder, Path file) {
        try {
            return Settings.of(file).tree();
        } catch (AnepException e) {
            String why = e.text().replace(file + ": ", "");
            throw new AnepException(ErrorCode.FLEET_STATE, folder.relativize(file) + ": " + why, e);
        }
    }

    /**
     * Whether nodes would take their parts, as far as that can be told without their own files.
     *
     * @throws AnepException EE-640 that names a node and the key
     */
    public static void check(JsonNode state) {
        Set<String> good = new HashSet<>();
        NodePart.all(FleetState.read(state)).values().forEach(part -> {
            if (good.add(part.sha256())) {
                check(part);
            }
        });
    }

    private static void check(NodePart part) {
        ObjectNode values = part.values().deepCopy();
        if (values.path("access").path("issuers").valueStream().anyMatch(issuer -> !issuer.path("keys").asText().startsWith("https://"))) {
            // Keys in a file of the node.
            values.remove("access");
        }
        try {
            NodeConfiguration.of(Settings.none().below(MAPPER.convertValue(values, new TypeReference<Map<String, Object>>() { })));
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.FLEET_STATE, part.node() + " would refuse it: " + e.text() + ". --unchecked leaves that to the nodes", e);
        }
    }
}
