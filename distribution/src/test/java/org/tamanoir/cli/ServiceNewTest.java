package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That what it makes builds is shown by ANewServiceBuildsAtOnceTest. */
class ServiceNewTest {
    @TempDir
    private Path directory;

    /** A folder as services/ of a checkout. */
    private Path services() throws IOException {
        Path services = Files.createDirectories(directory.resolve("services"));
        Files.copy(Path.of("../services/pom.xml"), services.resolve("pom.xml"));
        return services;
    }

    private Launched run(Path into, String... more) {
        return Launched.here(Stream.concat(Stream.of("service", "new", "--directory", into.toString()), Stream.of(more))
                .toArray(String[]::new));
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).map(file -> folder.relativize(file).toString()).sorted().toList();
        }
    }

    @Test
    void makesFourFilesAndOneLineInTheBuild() throws Exception {
        Path services = services();
        String before = Files.readString(services.resolve("pom.xml"));
        Launched made = run(services, "packet-counter", "--level", "heavy");
        assertThat(made.exit()).as(made.err()).isEqualTo(ExitCode.DONE);
        assertThat(made.out()).contains("mvn -q -pl services/packet-counter -am verify");
        Path folder = services.resolve("packet-counter");
        assertThat(files(folder)).containsExactly("README.md", "pom.xml",
                "src/main/java/org/example/packetcounter/PacketCounter.java",
                "src/test/java/org/example/packetcounter/PacketCounterTest.java");
        for (String file : files(folder)) {
            assertThat(Files.readString(folder.resolve(file))).as(file).doesNotContain("@name@", "@class@", "@package@", "@type-id");
        }
        assertThat(Files.readString(folder.resolve("pom.xml"))).contains("<service.level>heavy</service.level>").doesNotContain("relativePath");
        assertThat(Files.readString(services.resolve("pom.xml"))).isEqualTo(before.replace("  </modules>",
                "    <module>packet-counter</module>\n  </modules>"));
        assertThat(files(services)).as("nothing else").hasSize(5);
    }

    @Test
    void leavesWhatIsThereAsItIs() throws Exception {
        Path services = services();
        Files.createDirectories(services.resolve("shout"));
        Files.writeString(services.resolve("shout/mine"), "work");
        String before = Files.readString(services.resolve("pom.xml"));
        Launched made = run(services, "shout");
        assertThat(made.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(made.err()).contains("EE-408", "shout is there already");
        assertThat(files(services)).containsExactly("pom.xml", "shout/mine");
        assertThat(Files.readString(services.resolve("pom.xml"))).isEqualTo(before);
    }

    @Test
    void findsATypeIdThatNoNeighbourHas() throws Exception {
        Path services = services();
        int first = typeId(run(services, "shout", "--json"));
        assertThat(first).isBetween(0x5500, 0x57ff);
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        assertThat(typeId(run(elsewhere, "shout", "--json", "--api", "file:///api"))).as("the same name, the same number").isEqualTo(first);
        assertThat(typeId(run(services, "other", "--json", "--type-id", String.valueOf(first + 1)))).isEqualTo(first + 1);
        Files.move(services.resolve("shout"), services.resolve("renamed"));
        assertThat(typeId(run(services, "shout", "--json"))).isEqualTo(first + 2);
    }

    private static int typeId(Launched made) throws Exception {
        assertThat(made.exit()).as(made.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = new ObjectMapper().readTree(made.out());
        assertThat(json.path("files").size()).isGreaterThanOrEqualTo(4);
        return json.path("typeId").asInt();
    }

    @Test
    void standsAloneInAnyOtherFolder() throws Exception {
        Path elsewhere = directory.resolve("not/there/yet");
        Launched without = run(elsewhere, "shout");
        assertThat(without.exit()).as("without what it is built with").isEqualTo(ExitCode.NOT_FOUND);
        assertThat(without.err()).contains("EE-407", "install-api");
        Launched made = run(elsewhere, "shout", "--package", "net.mine.shout", "--api", "file:///somewhere/maven");
        assertThat(made.exit()).as(made.err()).isEqualTo(ExitCode.DONE);
        assertThat(made.out()).contains("verify").doesNotContain("install");
        assertThat(Files.readString(elsewhere.resolve("shout/.gitignore"))).isEqualTo("target/\n");
        assertThat(Files.readString(elsewhere.resolve("shout/pom.xml"))).contains("<relativePath/>", "<groupId>net.mine</groupId>",
                        "<service.symbolic-name>net.mine.shout<", "file:///somewhere/maven")
                .containsPattern("<version>\\d+\\.\\d+\\.\\d+");
        assertThat(files(elsewhere)).contains("shout/src/main/java/net/mine/shout/Shout.java");
    }

    @Test
    @Tag("long")
    void minimalIsAPomAndAClass() throws Exception {
        Path services = services();
        assertThat(run(services, "shout", "--minimal").exit()).isEqualTo(ExitCode.DONE);
        assertThat(files(services.resolve("shout"))).containsExactly("pom.xml", "src/main/java/org/example/shout/Shout.java");
    }

    /** That they build and do what they say is shown by AModuleOfEachLanguageTest. */
    @ParameterizedTest
    @CsvSource({"c, packet-counter.c tamanoir.h Makefile", "go, go.mod main.go tamanoir/tamanoir.go Makefile",
        "assemblyscript, assembly/index.ts assembly/tamanoir.ts package.json"})
    void aModuleHasItsSourceItsAbiAndItsBuild(String language, String expected) throws Exception {
        Path folder = directory.resolve("packet-counter");
        Launched made = run(directory, "packet-counter", "--wasm", language, "--json");
        int typeId = typeId(made);
        assertThat(files(folder)).contains(expected.split(" ")).contains("README.md", ".gitignore").hasSize(2 + expected.split(" ").length);
        for (String file : files(folder)) {
            assertThat(Files.readString(folder.resolve(file))).as(file).doesNotContainPattern("@[a-z-]+@");
        }
        assertThat(Files.readString(folder.resolve("README.md"))).contains(String.format("0x%x", typeId), "tamanoir_packet_counter_packets_total");
        assertThat(made.out()).contains("\"level\" : \"heavy\"", "packet-counter-0.1.0.jar");
        Files.move(folder, directory.resolve("renamed"));
        assertThat(typeId(run(directory, "packet-counter", "--json", "--api", "file:///api"))).as("a number that its neighbour does not have").isEqualTo(0x5500 + (typeId + 1 - 0x5500) % 0x300);
    }

    @ParameterizedTest
    @CsvSource({"--level, light", "--package, org.example.shout", "--api, file:///api", "--wasm, cobol"})
    void whatIsOfJavaIsNotOfModules(String option, String value) throws Exception {
        Launched made = run(directory, "shout", "--wasm", "c", option, value);
        assertThat(made.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(files(directory)).isEmpty();
    }

    /** Wrong: the version of the parent, or of something that the service depends on, in its place. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"patch, 0.1.1", "minor, 0.2.0", "major, 1.0.0"})
    void nextRaisesTheVersionOfTheServiceAlone(String part, String version) throws Exception {
        Path services = services();
        assertThat(run(services, "shout").exit()).isEqualTo(ExitCode.DONE);
        Path pom = services.resolve("shout/pom.xml");
        String before = Files.readString(pom);
        Launched next = Launched.here("service", "next", services.resolve("shout").toString(), "--part", part);
        assertThat(next.exit()).as(next.err()).isEqualTo(ExitCode.DONE);
        assertThat(next.out()).contains("shout is version " + version, "shout-" + version + ".jar", "service upgrade shout");
        int own = before.lastIndexOf("<version>0.1.0<");
        assertThat(Files.readString(pom)).isEqualTo(before.substring(0, own) + "<version>" + version + before.substring(own + "<version>0.1.0".length()));
        assertThat(Launched.here("service", "next", directory.resolve("nowhere").toString()).exit()).isEqualTo(ExitCode.NOT_FOUND);
        Files.writeString(pom, "<project/>");
        assertThat(Launched.here("service", "next", services.resolve("shout").toString()).exit()).isEqualTo(ExitCode.USAGE);
        assertThat(Files.readString(pom)).isEqualTo("<project/>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Shout", "3des", "a_b", "-x", "x-", "a--b", "über", "a/b", "..", "a.b",
        "a12345678901234567890123456789012345678901234567890123456789012345"})
    void refusesNamesThatAreNone(String name) throws Exception {
        Path services = services();
        Launched made = run(services, "--", name);
        assertThat(made.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(made.err()).contains("EE-408", "is no name for a service");
        assertThat(files(services)).containsExactly("pom.xml");
    }

    /** Names that are something else in Java: the files must compile all the same. */
    @ParameterizedTest
    @CsvSource({"packet, org/example/packet/PacketService", "string, org/example/string/StringService", "new, org/example/newservice/New",
        "active-service, org/example/activeservice/ActiveServiceService", "shout2, org/example/shout2/Shout2"})
    void avoidsNamesThatAreTaken(String name, String path) throws Exception {
        Path services = services();
        assertThat(run(services, name).exit()).isEqualTo(ExitCode.DONE);
        assertThat(files(services.resolve(name))).contains("src/main/java/" + path + ".java");
    }

    @ParameterizedTest
    @CsvSource({"--type-id, 0x5403, 0x5500 to 0x57ff", "--type-id, 0x5800, 0x5500 to 0x57ff", "--type-id, many, is no number",
        "--package, Org.Example, is no name for a package",
        "--package, org.new.x, is no name for a package", "--level, huge, level"})
    void refusesWhatCannotBe(String option, String value, String message) throws Exception {
        Path services = services();
        Launched made = run(services, "shout", option, value);
        assertThat(made.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(made.err()).contains(message);
        assertThat(files(services)).containsExactly("pom.xml");
    }
}
