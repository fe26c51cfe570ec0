package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pages in Markdown: their links lead somewhere, and their lines fit a screen. */
@Tag("rules")
class PagesTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern OTHERS = Pattern.compile("target|node_modules|\\.git");
    private static final Pattern FENCE = Pattern.compile("\\s*(```|~~~)");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern NAMED = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");
    /** Tables, quotations, headings, pictures, HTML, what is indented as code and where links lead. */
    private static final Pattern NO_PROSE = Pattern.compile("(\\||<|>|#|    |!\\[|\\[).*");
    private static final int WIDTH = 120;

    /** Lines outside of blocks of code, with their numbers. */
    private static final Map<Path, Map<Integer, String>> PAGES = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            // What other modules build comes and goes meanwhile.
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return OTHERS.matcher(directory.getFileName().toString()).matches() ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".md")) {
                    PAGES.put(file, lines(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static Map<Integer, String> lines(Path file) throws IOException {
        Map<Integer, String> lines = new TreeMap<>();
        boolean code = false;
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            boolean fence = FENCE.matcher(line).lookingAt();
            code ^= fence;
            if (!code && !fence) {
                lines.put(number, line);
            }
        }
        return lines;
    }

    @Test
    void linesOfProseHaveAtMostAHundredAndTwentyCharacters() {
        List<String> tooLong = new ArrayList<>();
        PAGES.forEach((page, lines) -> lines.forEach((number, line) -> {
            // What has no space in it cannot be broken.
            boolean canBreak = LINK.matcher(CODE.matcher(line).replaceAll("")).replaceAll("").strip().contains(" ");
            if (line.length() > WIDTH && canBreak && !NO_PROSE.matcher(line).matches()) {
                tooLong.add(ROOT.relativize(page) + ":" + number + ": " + line.length());
            }
        }));
        assertThat(PAGES).hasSizeGreaterThan(100);
        assertThat(tooLong).isEmpty();
    }

    @Test
    void linksLeadToFilesAndHeadingsThatExist() {
        Map<Path, Set<String>> anchors = new HashMap<>();
        PAGES.forEach((page, lines) -> anchors.put(page, anchors(lines.values())));
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Map.Entry<Path, Map<Integer, String>> page : PAGES.entrySet()) {
            Matcher link = LINK.matcher(CODE.matcher(String.join("\n", page.getValue().values())).replaceAll("code"));
            while (link.find()) {
                String[] parts = link.group(1).split("#", 2);
                if (link.group(1).matches("[a-z]+:.*")) {
                    continue;
                }
                links++;
                Path to = parts[0].isEmpty() ? page.getKey() : page.getKey().resolveSibling(parts[0]).normalize();
                if (!Files.exists(to) || parts.length == 2 && anchors.containsKey(to) && !anchors.get(to).contains(parts[1])) {
                    broken.add(ROOT.relativize(page.getKey()) + ": " + link.group(1));
                }
            }
        }
        assertThat(links).isGreaterThan(500);
        assertThat(broken).isEmpty();
    }

    /** As GitHub makes them of headings. */
    private static Set<String> anchors(Iterable<String> lines) {
        Set<String> found = new TreeSet<>();
        for (String line : lines) {
            if (line.startsWith("#")) {
                String text = line.replaceFirst("#+\\s+", "").replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1").strip().toLowerCase(Locale.ROOT);
                String anchor = text.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
                for (int i = 1; !found.add(i == 1 ? anchor : anchor + "-" + (i - 1)); i++) {
                    // The next one of this name has a number.
                }
            }
            NAMED.matcher(line).results().forEach(name -> found.add(name.group(1)));
        }
        return found;
    }
}
