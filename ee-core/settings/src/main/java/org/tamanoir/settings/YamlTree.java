package org.tamanoir.settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** YAML as a tree of JSON in which no scalar has lost its text: what would be written differently as a number or a truth value stays a text, such as 1.10. */
final class YamlTree {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]{0,17}");
    private static final Pattern PART = Pattern.compile("-?(0|[1-9][0-9]{0,6})\\.[0-9]{1,6}");
    /** An alias may stand within what it names. */
    private static final int DEEPEST = 32;

    private YamlTree() {
    }

    /** @throws AnepException EE-501 with the line */
    static JsonNode of(Node node, int depth) {
        if (depth > DEEPEST) {
            throw bad(node, "it is nested more than " + DEEPEST + " deep");
        }
        if (node instanceof MappingNode mapping) {
            ObjectNode object = JSON.objectNode();
            mapping.getValue().forEach(each -> {
                if (!(each.getKeyNode() instanceof ScalarNode key)) {
                    throw bad(each.getKeyNode(), "a key must be a text");
                }
                if (object.has(key.getValue())) {
                    throw bad(key, "the key " + key.getValue() + " stands twice");
                }
                object.set(key.getValue(), of(each.getValueNode(), depth + 1));
            });
            return object;
        }
        if (node instanceof SequenceNode sequence) {
            ArrayNode array = JSON.arrayNode();
            sequence.getValue().forEach(each -> array.add(of(each, depth + 1)));
            return array;
        }
        return scalar((ScalarNode) node);
    }

    private static JsonNode scalar(ScalarNode node) {
        String text = node.getValue();
        if (!node.isPlain()) {
            return JSON.textNode(text);
        }
        if (node.getTag().equals(Tag.NULL)) {
            return JSON.nullNode();
        }
        if (text.equals("true") || text.equals("false")) {
            return JSON.booleanNode(text.equals("true"));
        }
        if (WHOLE.matcher(text).matches()) {
            long number = Long.parseLong(text);
            return number == (int) number ? JSON.numberNode((int) number) : JSON.numberNode(number);
        }
        return PART.matcher(text).matches() && Double.toString(Double.parseDouble(text)).equals(text) ? JSON.numberNode(Double.parseDouble(text)) : JSON.textNode(text);
    }

    private static AnepException bad(Node node, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what + " (line " + (node.getStartMark().getLine() + 1) + ")");
    }
}
