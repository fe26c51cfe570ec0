package org.tamanoir.tuf.format;

import java.util.Arrays;

/**
 * Paths of targets, as section 4.5 of the specification has them and Python's fnmatch reads them: {@code *} is any number of characters,
 * {@code ?} one, {@code [a-z]} and {@code [!a-z]} one of some; none of them a slash. Takes time of the order of both lengths multiplied.
 *
 */
public final class PathPattern {
    private static final int LONGEST = 1_024;

    private final String pattern;
    private final int[][] parts;

    /** @throws org.tamanoir.anep.AnepException EE-420 if it has more than 1,024 characters */
    public PathPattern(String pattern) {
        if (pattern.length() > LONGEST) {
            throw Fields.bad("a pattern of a path has more than " + LONGEST + " characters");
        }
        this.pattern = pattern;
        this.parts = parts(pattern);
    }

    private static int[][] parts(String path) {
        return Arrays.stream(path.split("/", -1)).map(part -> part.codePoints().toArray()).toArray(int[][]::new);
    }

    public boolean matches(String path) {
        int[][] texts = parts(path);
        if (texts.length != parts.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            if (!matches(parts[i], texts[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return pattern;
    }

    /** Goes back to the last star only: an earlier one could take no more than that one can. */
    private static boolean matches(int[] pattern, int[] text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length) {
            if (p < pattern.length && pattern[p] == '*') {
                star = p++;
                resume = t;
                continue;
            }
            int after = p < pattern.length ? one(pattern, p, text[t]) : -1;
            if (after > 0) {
                p = after;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length && pattern[p] == '*') {
            p++;
        }
        return p == pattern.length;
    }

    /** Where the pattern goes on after one character; -1 if that does not match. */
    private static int one(int[] pattern, int at, int character) {
        int end = pattern[at] == '[' ? endOfSet(pattern, at) : -1;
        if (end > 0) {
            return inSet(pattern, at + 1, end, character) ? end + 1 : -1;
        }
        return pattern[at] == '?' || pattern[at] == character ? at + 1 : -1;
    }

    /** Where the bracket closes; -1 if it never does: then it stands for itself. A bracket that closes at once is one of the set. */
    private static int endOfSet(int[] pattern, int at) {
        int end = at + 1;
        if (end < pattern.length && pattern[end] == '!') {
            end++;
        }
        if (end < pattern.length && pattern[end] == ']') {
            end++;
        }
        while (end < pattern.length && pattern[end] != ']') {
            end++;
        }
        return end < pattern.length ? end : -1;
    }

    private static boolean inSet(int[] pattern, int from, int end, int character) {
        boolean negated = pattern[from] == '!';
        boolean found = false;
        for (int i = negated ? from + 1 : from; i < end; i++) {
            boolean range = i + 2 < end && pattern[i + 1] == '-';
            found |= range ? pattern[i] <= character && character <= pattern[i + 2] : pattern[i] == character;
            i += range ? 2 : 0;
        }
        return found != negated;
    }
}
