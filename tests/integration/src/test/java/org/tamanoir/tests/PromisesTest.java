package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;

/** The tables of promises, in {@code tests/README.md} and {@code docs/security.md}, name tests that exist and run where the tables say. */
@Tag("rules")
class PromisesTest {
    private static final Path ROOT = Path.of("../..");
    /** {@code Class}, {@code Class#method} or {@code module/Class#method}, between back quotes. */
    private static final Pattern TEST = Pattern.compile("`(?:(\\w+)/)?(\\w+(?:Test|Fuzz))(?:#(\\w+))?`");
    private static final Pattern FILE = Pattern.compile("`([\\w/-]+\\.\\w+)`");
    private static final String SWEEP = "@Tag(\"sweep\")";
    private static final Map<Path, String> SOURCES = sources();

    private record Promise(String what, String tests, String runs) {
    }

    private static Map<Path, String> sources() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java") && file.toString().contains("/src/test/"))
                    .collect(Collectors.toMap(file -> file, PromisesTest::text));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Promise> promises(String file, String after, int columns) {
        String text = text(ROOT.resolve(file));
        List<Promise> promises = new ArrayList<>();
        for (String line : text.substring(text.indexOf(after)).lines().filter(line -> line.startsWith("| ")).toList()) {
            String[] cells = Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("\\|", -1)).map(String::strip).toArray(String[]::new);
            if (cells[0].equals("Promise")) {
                continue;
            }
            assertThat(cells).as("%s: %s", file, line).hasSize(columns).doesNotContain("");
            promises.add(new Promise(cells[0], cells[1], columns == 3 ? cells[2] : "every run"));
        }
        return promises;
    }

    private static List<Promise> promises() {
        List<Promise> all = promises("tests/README.md", "## Promises", 3);
        all.addAll(promises("docs/security.md", "## What is promised", 2));
        return all;
    }

    @Test
    void eachHasATestThatExistsAndRunsWhereItIsSaidTo() {
        List<Promise> promises = promises();
        assertThat(promises).hasSizeGreaterThan(100);
        for (Promise promise : promises) {
            assertThat(promise.runs()).as(promise.what()).isIn("every run", "sweep");
            List<Boolean> sweeps = new ArrayList<>();
            for (Matcher test = TEST.matcher(promise.tests()); test.find();) {
                sweeps.add(isSweep(promise, test.group(1), test.group(2), test.group(3)));
            }
            for (Matcher file = FILE.matcher(promise.tests()); file.find();) {
                assertThat(ROOT.resolve(file.group(1))).as(promise.what()).exists();
                sweeps.add(false);
            }
            assertThat(sweeps).as("sweeps among the tests of: %s", promise.what()).containsOnly(promise.runs().equals("sweep"));
        }
    }

    /** Whether a test is left out of ordinary runs; fails if there is no such test. */
    private static boolean isSweep(Promise promise, String module, String name, String method) {
        Predicate<Path> here = file -> file.endsWith(name + ".java") && (module == null || file.toString().contains("/" + module + "/src/"));
        List<Path> found = SOURCES.keySet().stream().filter(here).toList();
        assertThat(found).as("the test %s of: %s", name, promise.what()).hasSize(1);
        String source = SOURCES.get(found.get(0));
        String head = source.substring(0, source.indexOf("class " + name));
        if (method == null) {
            // Of a class that is named as a whole one test in every run is enough.
            return head.contains(SWEEP) || source.contains(SWEEP) && source.split(SWEEP, -1).length == source.split("\n    @Test", -1).length;
        }
        Matcher declared = Pattern.compile("\n    (?:public )?void " + method + "\\(").matcher(source);
        assertThat(declared.find()).as("%s#%s of: %s", name, method, promise.what()).isTrue();
        String annotations = source.substring(source.lastIndexOf("\n\n", declared.start()), declared.start());
        assertThat(annotations).as("%s#%s is a test", name, method).contains("\n    @");
        return head.contains(SWEEP) || annotations.contains(SWEEP);
    }

    @Test
    void eachErrorIsMetByATest() {
        String tests = SOURCES.entrySet().stream().filter(source -> !source.getKey().endsWith("ErrorsAreDocumentedTest.java")).map(Map.Entry::getValue)
                .collect(Collectors.joining());
        assertThat(ErrorCode.values()).allMatch(code -> tests.contains(code.name()) || tests.contains(code.toString()), "is named in a test");
    }
}
