package org.tamanoir.transfer.copy;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Which files are copied: those that match a pattern of the ones to include, if there are any, and none of those to exclude. A pattern with a {@code /} in it is
 * compared with the path below the source, another one with each part of that, so that {@code *.tmp} and {@code .git} mean what they do elsewhere.
 */
final class Selection {
    private final List<PathMatcher> include;
    private final List<PathMatcher> exclude;

    /** @throws AnepException EE-408 for what is no pattern */
    Selection(List<String> include, List<String> exclude) {
        this.include = include.stream().map(Selection::matcher).toList();
        this.exclude = exclude.stream().map(Selection::matcher).toList();
    }

    private static PathMatcher matcher(String pattern) {
        PathMatcher glob;
        try {
            glob = FileSystems.getDefault().getPathMatcher("glob:" + pattern.replaceAll("^/|/$", ""));
        } catch (PatternSyntaxException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + pattern + "' is no pattern: " + e.getDescription(), e);
        }
        if (pattern.replaceAll("/$", "").contains("/")) {
            return path -> {
                for (Path above = path; above != null; above = above.getParent()) {
                    if (glob.matches(above)) {
                        return true;
                    }
                }
                return false;
            };
        }
        return path -> {
            for (Path part : path) {
                if (glob.matches(part)) {
                    return true;
                }
            }
            return false;
        };
    }

    /** @param path below the source */
    boolean has(String path) {
        Path file = Path.of(path);
        return (include.isEmpty() || include.stream().anyMatch(one -> one.matches(file))) && exclude.stream().noneMatch(one -> one.matches(file));
    }

    /** Whether a directory is made although no file in it is copied, as far as it says. */
    boolean hasDirectory(String path) {
        return include.isEmpty() && has(path);
    }
}
