package org.tamanoir.settings;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Keys and values that an operator has written: a YAML file, and values that stand in place of those of the file, such as the options of
 * a command. Read into a record (or a class with public fields) whose components are the keys: {@code maxBundle} is {@code max-bundle}.
 *
 * <pre>{@code
 * Settings.of(file).set("limits.streams", 5).as(NodeConfiguration.class)
 * }</pre>
 */
public final class Settings {
    private static final int MOST = 1 << 20;

    private final Path file;
    private final String text;
    private final Map<String, Object> instead = new LinkedHashMap<>();
    private Map<String, ?> below = Map.of();

    private Settings(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    /** No file: every key has its default. */
    public static Settings none() {
        return new Settings(null, "");
    }

    /**
     * A file of at most 1 MiB.
     *
     * @throws AnepException EE-501 if it cannot be read
     */
    public static Settings of(Path file) {
        try {
            if (Files.size(file) > MOST) {
                throw bad(file + " is larger than " + MOST + " octets", null);
            }
            return new Settings(file, Files.readString(file));
        } catch (IOException e) {
            throw bad("cannot read " + file + ": " + AnepException.reason(e), e);
        }
    }

    /**
     * Puts a value in place of that of the file.
     *
     * @param key   a name, or names of sections and a name with dots between: {@code limits.streams}
     * @param value text, a number, a truth value, a path, or a list or map of these; null changes nothing
     * @return this
     */
    public Settings set(String key, Object value) {
        if (value != null) {
            instead.put(key, value instanceof Path path ? path.toString() : value);
        }
        return this;
    }

    /** A file that is not there, or not yet. @param file for errors */
    public static Settings ofText(Path file, String text) {
        return new Settings(file, text);
    }

    /**
     * Puts values below those of the file: they hold where it says nothing. Maps merge, everything else is the file's if it says it, and a key that it leaves
     * without a value is taken out.
     *
     * @param values texts, numbers, truth values, and lists and maps of these
     * @return others than these
     */
    public Settings below(Map<String, ?> values) {
        Settings layered = new Settings(file, text);
        layered.instead.putAll(instead);
        layered.below = values;
        return layered;
    }

    /**
     * What the file says, with the values that stand in place of its own, and without those below it.
     *
     * @throws AnepException EE-501 with the line
     */
    public JsonNode tree() {
        try {
            Node root = new Yaml().compose(new StringReader(text));
            if (root != null && !(root instanceof MappingNode)) {
                throw bad("it must be a section of keys and values (line " + (root.getStartMark().getLine() + 1) + ")", null);
            }
            MappingNode top = root == null ? section() : (MappingNode) root;
            replace(top);
            return YamlTree.of(top, 0);
        } catch (AnepException e) {
            throw bad((file == null ? "" : file + ": ") + e.text(), e);
        } catch (MarkedYAMLException e) {
            throw bad((file == null ? "" : file + ": ") + "it is no YAML: " + e.getProblem() + (e.getProblemMark() == null ? "" : " (line " + (e.getProblemMark().getLine() + 1) + ")"), e);
        } catch (YAMLException e) {
            throw bad((file == null ? "" : file + ": ") + "it is no YAML: " + e.getMessage(), e);
        }
    }

    /**
     * Reads the file, then again with the values that stand in its place, and over those that stand below it.
     *
     * @param types how texts become values, besides what Jackson knows
     * @throws AnepException EE-501 that names the key, and the line if it stands in the file
     */
    public <T> T as(Class<T> type, Module... types) {
        YAMLMapper mapper = mapper(types);
        T read = null;
        try {
            read = parse(mapper, text, type);
            return instead.isEmpty() && below.isEmpty() ? read : parse(mapper, merged(), type);
        } catch (JsonMappingException e) {
            throw bad(read == null ? (file == null ? "" : file + ": ") + SettingsError.text(e, text) : SettingsError.text(e, null), e);
        } catch (IOException e) {
            throw bad("cannot read " + file + ": " + AnepException.reason(e), e);
        }
    }

    /**
     * What the file says of a key.
     *
     * @param line from 1
     * @param text the value on one line, as YAML writes it in flow style
     */
    public record Written(int line, String text) {
    }

    /** What the file says of a key, if it does. @param names of sections and of the key */
    public Optional<Written> written(List<String> names) {
        Node at = new Yaml().compose(new StringReader(text));
        NodeTuple found = null;
        for (String name : names) {
            found = at instanceof MappingNode section ? section.getValue().stream().filter(each -> isNamed(each, name)).findFirst().orElse(null) : null;
            if (found == null) {
                return Optional.empty();
            }
            at = found.getValueNode();
        }
        return found == null ? Optional.empty() : Optional.of(new Written(found.getKeyNode().getStartMark().getLine() + 1, flow(at)));
    }

    private static String flow(Node node) {
        if (node instanceof SequenceNode list) {
            return list.getValue().stream().map(Settings::flow).collect(Collectors.joining(", ", "[", "]"));
        }
        if (node instanceof MappingNode section) {
            return section.getValue().stream().map(each -> flow(each.getKeyNode()) + ": " + flow(each.getValueNode())).collect(Collectors.joining(", ", "{", "}"));
        }
        return ((ScalarNode) node).getValue();
    }

    private static YAMLMapper mapper(Module... types) {
        return YAMLMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP))
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).addModules(types).build();
    }

    /** A file of comments alone is as empty. */
    private static <T> T parse(YAMLMapper mapper, String text, Class<T> type) throws IOException {
        T read = text.isBlank() ? null : mapper.readValue(text, type);
        return read != null ? read : mapper.readValue("{}", type);
    }

    /** Scalars keep the text that they have in the file, so that 1.10 does not become the number 1.1. */
    private String merged() {
        Yaml yaml = new Yaml();
        Node root = yaml.compose(new StringReader(text));
        MappingNode top = root instanceof MappingNode mapping ? mapping : section();
        if (!below.isEmpty()) {
            MappingNode lower = (MappingNode) new Representer(new DumperOptions()).represent(below);
            lay(lower, top);
            top = lower;
        }
        replace(top);
        StringWriter written = new StringWriter();
        yaml.serialize(top, written);
        return written.toString();
    }

    private void replace(MappingNode top) {
        instead.forEach((key, value) -> {
            MappingNode section = top;
            String[] names = key.split("\\.");
            for (int i = 0; i < names.length - 1; i++) {
                section = section(section, names[i]);
            }
            put(section, names[names.length - 1], new Representer(new DumperOptions()).represent(value));
        });
    }

    /** One over another, which is changed. */
    private static void lay(MappingNode lower, MappingNode upper) {
        for (NodeTuple each : upper.getValue()) {
            Node below = each.getKeyNode() instanceof ScalarNode key ? lower.getValue().stream().filter(other -> isNamed(other, key.getValue())).map(NodeTuple::getValueNode).findFirst()
                    .orElse(null) : null;
            if (below instanceof MappingNode section && each.getValueNode() instanceof MappingNode over) {
                lay(section, over);
            } else if (each.getKeyNode() instanceof ScalarNode key) {
                put(lower, key.getValue(), each.getValueNode());
            }
        }
    }

    private static MappingNode section() {
        return new MappingNode(Tag.MAP, new ArrayList<>(), DumperOptions.FlowStyle.BLOCK);
    }

    private static MappingNode section(MappingNode of, String name) {
        for (NodeTuple each : of.getValue()) {
            if (isNamed(each, name) && each.getValueNode() instanceof MappingNode found) {
                return found;
            }
        }
        MappingNode added = section();
        put(of, name, added);
        return added;
    }

    private static void put(MappingNode section, String name, Node value) {
        List<NodeTuple> tuples = new ArrayList<>(section.getValue());
        tuples.removeIf(each -> isNamed(each, name));
        tuples.add(new NodeTuple(new ScalarNode(Tag.STR, name, null, null, DumperOptions.ScalarStyle.PLAIN), value));
        section.setValue(tuples);
    }

    private static boolean isNamed(NodeTuple tuple, String name) {
        return tuple.getKeyNode() instanceof ScalarNode key && key.getValue().equals(name);
    }

    /**
     * The socket address that a key names.
     *
     * @param text {@code HOST:PORT}, {@code [::1]:PORT}
     * @throws AnepException EE-501 that names the key
     */
    public static InetSocketAddress address(String key, String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, colon);
            InetSocketAddress address = new InetSocketAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                    Integer.parseInt(text.substring(colon + 1)));
            if (!address.isUnresolved()) {
                return address;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // said below
        }
        throw bad(key + " is '" + text + "'; it must be HOST:PORT of this machine", null);
    }

    /**
     * Bits a second.
     *
     * @param text a number, with {@code k}, {@code M} or {@code G} behind it or nothing
     * @throws IllegalArgumentException unless it is from 1 to 1000G
     */
    public static long bitRate(String text) {
        int at = text.isEmpty() ? -1 : "kMG".indexOf(text.charAt(text.length() - 1));
        try {
            double bits = Double.parseDouble(at < 0 ? text : text.substring(0, text.length() - 1)) * Math.pow(1000, at + 1);
            if (bits >= 1 && bits <= 1e12) {
                return (long) bits;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("'" + text + "' is no rate from 1 to 1000G bits a second, as 500k, 100M or 2.5G");
    }

    private static AnepException bad(String what, Throwable cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what, cause);
    }
}
