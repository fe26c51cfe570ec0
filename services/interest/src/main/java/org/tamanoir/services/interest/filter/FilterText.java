package org.tamanoir.services.interest.filter;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Filters as JSON: {@code {"topic":"sensors/#","where":"data.t > 30.0","region":[w,s,e,n],"every":100}}; the README has all of it. */
public final class FilterText {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> FIELDS = Set.of("topic", "where", "message", "descriptors", "region", "every");

    private FilterText() {
    }

    /** @throws AnepException EE-109 if it is no filter */
    public static Filter read(String text) {
        JsonNode json;
        try {
            json = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw wrong("it is no JSON: " + e.getOriginalMessage());
        }
        if (json == null || !json.isObject() || text(json, "topic") == null) {
            throw wrong("it has to name a topic");
        }
        for (Iterator<String> names = json.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw wrong("it has '" + name + "', which no filter has");
            }
        }
        JsonNode every = json.path("every");
        if (!every.isMissingNode() && !(every.isInt() && every.intValue() >= 0 && every.intValue() <= Filter.MOST_EVERY)) {
            throw wrong("every is a number of ms from 0 to " + Filter.MOST_EVERY);
        }
        return new Filter(TopicPattern.of(json.get("topic").textValue()), predicate(json), region(json.path("region")), every.asInt());
    }

    private static Predicate predicate(JsonNode json) {
        String where = text(json, "where");
        String message = text(json, "message");
        String descriptors = text(json, "descriptors");
        if ((message == null) != (descriptors == null) || message != null && where == null) {
            throw wrong("message and descriptors go together, with a where");
        }
        return where == null ? null : new Predicate(where, message, descriptors);
    }

    private static String text(JsonNode json, String name) {
        JsonNode value = json.path(name);
        if (!value.isMissingNode() && !value.isTextual()) {
            throw wrong(name + " is a text");
        }
        // It is said to other nodes in UTF-8, and has to be the same there.
        if (value.isTextual() && !StandardCharsets.UTF_8.newEncoder().canEncode(value.textValue())) {
            throw wrong(name + " has half a surrogate in it, which is no character");
        }
        return value.textValue();
    }

    private static Region region(JsonNode region) {
        if (region.isMissingNode()) {
            return null;
        }
        if (region.isArray() && region.size() == 4) {
            return Region.box(number(region.get(0)), number(region.get(1)), number(region.get(2)), number(region.get(3)));
        }
        JsonNode polygon = region.path("polygon");
        if (!polygon.isArray() || polygon.size() > Region.MOST_CORNERS) {
            throw wrong("a region is [west, south, east, north] or {\"polygon\":[[x,y],…]} with at most " + Region.MOST_CORNERS + " corners");
        }
        double[] corners = new double[2 * polygon.size()];
        for (int i = 0; i < polygon.size(); i++) {
            corners[2 * i] = number(polygon.get(i).path(0));
            corners[2 * i + 1] = number(polygon.get(i).path(1));
        }
        return Region.polygon(corners);
    }

    private static double number(JsonNode value) {
        if (!value.isNumber()) {
            throw wrong("a region is made of numbers");
        }
        return value.doubleValue();
    }

    private static AnepException wrong(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, "this is no filter: " + text);
    }

    /** The filter as {@link #read} reads it. */
    public static String write(Filter filter) {
        ObjectNode json = JSON.createObjectNode().put("topic", filter.topic().toString());
        if (filter.where() != null) {
            json.put("where", filter.where().text());
            if (filter.where().message() != null) {
                json.put("message", filter.where().message()).put("descriptors", filter.where().descriptors());
            }
        }
        Region region = filter.region();
        if (region != null && region.isBox()) {
            ArrayNode box = json.putArray("region");
            for (double side : region.corners()) {
                box.add(side);
            }
        } else if (region != null) {
            ArrayNode polygon = json.putObject("region").putArray("polygon");
            for (int i = 0; i < region.corners().length; i += 2) {
                polygon.addArray().add(region.corners()[i]).add(region.corners()[i + 1]);
            }
        }
        if (filter.every() > 0) {
            json.put("every", filter.every());
        }
        return json.toString();
    }
}
