package org.tamanoir.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A path with named holes, such as {@code /services/{name}} or {@code /bundles/{sha256}.jar}. A hole takes exactly one segment or the
 * rest of one, and never a slash, so that a parameter cannot climb out of where it is used. The last segment may
 * be {@code {name*}}: it takes all that is left, which may be nothing, with one slash between the segments and none at either end.
 */
final class PathTemplate {
    private record Piece(String before, String name, String after) {
    }

    private static final String REST = "*}";

    private final List<Piece> pieces = new ArrayList<>();
    /** The name of the hole for all that is left; null for none. */
    private final String rest;

    PathTemplate(String template) {
        if (!template.startsWith("/")) {
            throw new IllegalArgumentException("a path begins with a slash: " + template);
        }
        List<String> segments = List.of(template.substring(1).split("/", -1));
        String last = segments.get(segments.size() - 1);
        rest = last.startsWith("{") && last.endsWith(REST) ? last.substring(1, last.length() - REST.length()) : null;
        for (String segment : rest == null ? segments : segments.subList(0, segments.size() - 1)) {
            int open = segment.indexOf('{');
            int close = segment.indexOf('}');
            if ((open < 0) != (close < 0) || close < open) {
                throw new IllegalArgumentException("unbalanced braces in " + template);
            }
            pieces.add(open < 0 ? new Piece(segment, null, "")
                    : new Piece(segment.substring(0, open), segment.substring(open + 1, close), segment.substring(close + 1)));
        }
    }

    /** The values of the holes, or null if the path is another one. */
    Map<String, String> match(List<String> segments) {
        if (rest == null ? segments.size() != pieces.size() : segments.size() < pieces.size()) {
            return null;
        }
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            String segment = segments.get(i);
            if (piece.name == null) {
                if (!segment.equals(piece.before)) {
                    return null;
                }
                continue;
            }
            int end = segment.length() - piece.after.length();
            if (end <= piece.before.length() || !segment.startsWith(piece.before) || !segment.endsWith(piece.after)) {
                return null;
            }
            parameters.put(piece.name, segment.substring(piece.before.length(), end));
        }
        if (rest != null) {
            parameters.put(rest, segments.stream().skip(pieces.size()).filter(segment -> !segment.isEmpty()).collect(Collectors.joining("/")));
        }
        return parameters;
    }

    /**
     * The decoded segments of a raw path.
     *
     * @throws AnepException EE-408 for a bad escape, a dot segment, or a segment that holds a slash, a backslash or a control character
     */
    static List<String> segments(String rawPath) {
        if (!rawPath.startsWith("/")) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the path does not begin with a slash");
        }
        List<String> segments = new ArrayList<>();
        for (String raw : rawPath.substring(1).split("/", -1)) {
            segments.add(decode(raw));
        }
        return segments;
    }

    private static String decode(String raw) {
        String segment;
        try {
            // URLDecoder reads a plus as a blank, which is right in a query and wrong in a path.
            segment = URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the path has a bad escape");
        }
        boolean odd = segment.chars().anyMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
        if (odd || segment.equals(".") || segment.equals("..")) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the path has a segment that is not allowed");
        }
        return segment;
    }
}
