package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code tests/run} makes of the reports of Surefire: which runs are red. It runs in a folder of its own, as root would, with a Maven
 * that writes the reports that a case asks for.
 */
class TheTestRunTest {
    private static final String PASSED = "<testcase name=\"%s\" classname=\"org.a.ATest\" time=\"0\"/>\n";
    private static final String FAILED = "<testcase name=\"%s\" classname=\"org.a.ATest\" time=\"0\">\n<failure message=\"no\"/>\n</testcase>\n";
    private static final String SKIPPED = "<testcase name=\"%s\" classname=\"org.a.ATest\" time=\"0\">\n<skipped message=\"no psql\"/>\n</testcase>\n";
    private static final String CORE = "ee-core/anep/src/main/java/org/tamanoir/anep/Packet.java";
    private static final String MUTANT = "<mutation detected='%s' status='%s'><sourceFile>Packet.java</sourceFile><mutatedClass>org.tamanoir.anep.Packet"
            + "</mutatedClass><lineNumber>%d</lineNumber><description>negated conditional</description></mutation>\n";
    /** Each execution takes the report with its number, or the last one: five if a test is run again, up to one that fails. Those of PIT take the one for mutations. */
    private static final String MAVEN = """
            #!/usr/bin/env bash
            if [[ $* == *-Pmutation* ]]; then
                mkdir -p ee-core/anep/target/pit-reports
                cp reports/mutations ee-core/anep/target/pit-reports/mutations.xml
                exit
            fi
            folders=surefire-reports
            [[ $* != *-Pagain* ]] || folders=$(echo surefire-reports surefire-reports-{2..5})
            for folder in $folders; do
                mkdir -p a/target/$folder
                call=$(($(cat calls 2>/dev/null || echo 0) + 1))
                echo $call >calls
                while [ ! -e reports/$call ]; do call=$((call - 1)); done
                cat reports/$call >a/target/$folder/TEST-org.a.ATest.xml
                [ "$folders" = surefire-reports ] || ! grep -q '<failure' reports/$call || exit 1
            done
            [ ! -e reports/says ] || cat reports/says
            """;

    private record Result(int code, String output) {
    }

    @TempDir
    Path home;

    @BeforeEach
    void prepare() throws IOException {
        for (String each : List.of("tests", "bin", "reports")) {
            Files.createDirectories(home.resolve(each));
        }
        for (String each : List.of("run", "may-skip", "mutations")) {
            Files.copy(Path.of("..", each), home.resolve("tests").resolve(each));
        }
        program("mvn", MAVEN);
        program("make", "#!/bin/sh\necho pass meter\n");
        program("id", "#!/bin/sh\necho 0\n");
        program("apt-get", "#!/bin/sh\n");
    }

    private void program(String name, String text) throws IOException {
        Path file = Files.writeString(home.resolve("bin").resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String each(String form, String... names) {
        return List.of(names).stream().map(form::formatted).collect(Collectors.joining());
    }

    /** Runs all tests.
     *
     * @param reports test cases that the first, second ... execution of Surefire reports */
    private Result run(String... reports) throws Exception {
        Files.deleteIfExists(home.resolve("calls"));
        for (int i = 0; i < reports.length; i++) {
            Files.writeString(home.resolve("reports/" + (i + 1)), "<testsuite>\n" + reports[i] + "</testsuite>\n");
        }
        return bash("tests/run");
    }

    private Result bash(String... script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bash").directory(home.toFile()).redirectErrorStream(true);
        builder.command().addAll(List.of(script));
        Map<String, String> environment = builder.environment();
        environment.put("PATH", home.resolve("bin") + ":" + environment.get("PATH"));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), output);
    }

    private int calls() throws IOException {
        return Integer.parseInt(Files.readString(home.resolve("calls")).strip());
    }

    @Test
    void allPassed() throws Exception {
        Result result = run(each(PASSED, "one", "two"));

        assertThat(result.output()).contains("0 failed").doesNotContain("failed once");
        assertThat(result.code()).as(result.output()).isZero();
    }

    /** The first time it is told, the second time the run fails: it comes back. */
    @Test
    void aTestThatFailsOncePassesIfItPassesFiveTimesMoreAndInOneRunOnly() throws Exception {
        String[] reports = {each(PASSED, "one") + each(FAILED, "two"), each(PASSED, "two")};

        Result first = run(reports);
        Result second = run(reports);

        assertThat(first.output()).contains("failed once and passed five times after that:\n  org.a.ATest#two").contains(" 0 failed");
        assertThat(first.code()).as(first.output()).isZero();
        assertThat(second.output()).contains("tried again in an earlier run too").contains("ATest#two");
        assertThat(second.code()).isEqualTo(1);
    }

    @Test
    void aTestThatFailsAmongTheFiveFailsTheRun() throws Exception {
        Result result = run(each(FAILED, "two"), each(PASSED, "two"), each(PASSED, "two"), each(PASSED, "two"), each(PASSED, "two"), each(FAILED, "two"));

        assertThat(result.output()).contains("failed again");
        assertThat(result.code()).isEqualTo(1);
    }

    /** Wrong: a run that looks at the last of the five alone. */
    @Test
    void aTestThatIsSkippedAmongTheFiveFailsTheRun() throws Exception {
        Result result = run(each(FAILED, "two"), each(PASSED, "two"), each(SKIPPED, "two"), each(PASSED, "two"));

        assertThat(result.output()).contains("may not be tried again: org.a.ATest#two\n");
        assertThat(result.code()).isEqualTo(1);
    }

    /** Where Maven does not run it again, because a seed drives it. */
    @Test
    void aTestThatIsNotRunAgainFailsTheRun() throws Exception {
        Result result = run(each(PASSED, "one") + each(FAILED, "two(long)[3]"), each(PASSED, "one"));

        assertThat(result.output()).contains("may not be tried again: org.a.ATest#two\n").contains(" 1 failed");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void fourThatFailAreNotTriedAgain() throws Exception {
        Result result = run(IntStream.range(0, 4).mapToObj(i -> each(FAILED, "test" + (char) ('a' + i))).collect(Collectors.joining()), each(PASSED, "one"));

        assertThat(calls()).isEqualTo(1);
        assertThat(result.output()).contains(" 4 failed");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void whatIsSkippedFailsTheRunUnlessItMayBe() throws Exception {
        Result unexpected = run(each(PASSED, "one") + each(SKIPPED, "two"));
        Files.writeString(home.resolve("tests/may-skip"), "org.a.ATest#two no psql here\n");
        Result expected = run(each(PASSED, "one") + each(SKIPPED, "two"));

        assertThat(unexpected.output()).contains("no psql").contains("not in tests/may-skip: org.a.ATest#two");
        assertThat(unexpected.code()).isEqualTo(1);
        assertThat(expected.output()).contains("root may skip");
        assertThat(expected.code()).as(expected.output()).isZero();
    }

    @Test
    void aJvmThatEndsFailsTheRun() throws Exception {
        Files.writeString(home.resolve("reports/says"), "[ERROR] The forked VM terminated without properly saying goodbye.\n");

        assertThat(run(each(PASSED, "one")).code()).isEqualTo(1);
    }

    @Test
    void noTestAtAllFailsTheRun() throws Exception {
        program("make", "#!/bin/sh\n");

        assertThat(run("").output()).contains("no test ran");
    }

    /** A core, and what PIT reports of it: mutants that its tests find, and one in line 7, 8 ... for each that they do not. */
    private void core(String source, int found, int missed) throws IOException {
        Files.createDirectories(home.resolve(CORE).getParent());
        Files.writeString(home.resolve(CORE), source);
        Files.writeString(home.resolve("reports/mutations"), MUTANT.formatted("true", "KILLED", 1).repeat(found)
                + IntStream.range(7, 7 + missed).mapToObj(line -> MUTANT.formatted("false", "SURVIVED", line)).collect(Collectors.joining()));
    }

    @Test
    void aChangedCoreWhoseTestsFindTooFewMutantsFailsTheRun() throws Exception {
        core("class Packet { }", 2, 1);
        Result few = run(each(PASSED, "one"));
        core("class Packet { }", 3, 1);
        Result enough = run(each(PASSED, "one"));

        assertThat(few.output()).contains("org.tamanoir.anep.Packet: 2 of 3 mutants found, and it takes 75 of 100")
                .contains(CORE + ":7 no test fails: negated conditional");
        assertThat(few.code()).as(few.output()).isEqualTo(1);
        assertThat(enough.output()).contains("org.tamanoir.anep.Packet: 3 of 4 mutants found\n");
        assertThat(enough.code()).as(enough.output()).isZero();
    }

    @Test
    void aCoreIsMutatedAgainWhenItsCodeChangesAndNotForAComment() throws Exception {
        core("class Packet {\n}\n", 3, 1);
        Result recorded = bash("tests/run", "--mutations", "--record");
        core("/** Better words. */\nclass Packet {\n    // More of them.\n}\n", 0, 4);
        Result sameCode = run(each(PASSED, "one"));
        core("class Packet {\n    int more;\n}\n", 0, 4);
        Result changed = run(each(PASSED, "one"));

        assertThat(recorded.code()).as(recorded.output()).isZero();
        assertThat(home.resolve("tests/mutations.txt")).content().containsPattern("org.tamanoir.anep.Packet [0-9a-f]{12} 4 3 75\n");
        assertThat(sameCode.output()).doesNotContain("Packet");
        assertThat(sameCode.code()).as(sameCode.output()).isZero();
        assertThat(changed.output()).contains("0 of 4 mutants found");
        assertThat(changed.code()).isEqualTo(1);
    }

    /** A class that was worse when it was first measured keeps that bound, and a better one when it gets better. */
    @Test
    void aRecordBelowItsBoundFailsTheRunAndABoundOnlyGrows() throws Exception {
        core("class Packet { }", 5, 5);
        Result worse = bash("tests/run", "--mutations", "--record");
        Result unchanged = run(each(PASSED, "one"));
        Path record = home.resolve("tests/mutations.txt");
        Files.writeString(record, Files.readString(record).replace(" 10 5 75", " 10 5 30"));
        Result known = run(each(PASSED, "one"));
        bash("tests/run", "--mutations", "--record", "Packet");

        assertThat(worse.code()).as(worse.output()).isEqualTo(1);
        assertThat(unchanged.output()).contains("with fewer mutants found than it asks for: org.tamanoir.anep.Packet");
        assertThat(unchanged.code()).isEqualTo(1);
        assertThat(known.code()).as(known.output()).isZero();
        assertThat(record).content().contains(" 10 5 40\n");
    }

    @Test
    void whatIsNotMutatedInTimeFailsTheRun() throws Exception {
        core("class Packet { }", 4, 0);
        Result result = bash("tests/mutations", "--within", "0");

        assertThat(result.output()).contains("not measured, as 0 s are over: org.tamanoir.anep.Packet");
        assertThat(result.code()).isEqualTo(1);
    }
}
