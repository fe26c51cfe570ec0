package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;
import org.tamanoir.repository.bundle.BundleReader;

/** What {@code tamanoir service new} makes builds, passes its test and runs as it is: in a checkout, and on its own. */
@Tag("long")
class ANewServiceBuildsAtOnceTest {
    private static final Path HOUSE = Path.of("../..").toAbsolutePath().normalize();
    private static final List<String> API = List.of("ee-core/anep", "ee-core/service-api", "ee-core/service-testkit");

    @TempDir
    private static Path directory;
    private static Path checkout;

    /** As much of this checkout as the build of a service reads; the one that is being tested is not to be changed. */
    @BeforeAll
    static void copyTheCheckout() throws IOException {
        checkout = Files.createDirectories(directory.resolve("checkout"));
        Files.walkFileTree(HOUSE, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = List.of("target", ".git", "test").contains(name)
                        || name.equals("src") && API.stream().map(HOUSE::resolve).noneMatch(folder::startsWith);
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = HOUSE.relativize(file).toString();
                if (path.endsWith("pom.xml") || path.contains("src/main")) {
                    Path copy = checkout.resolve(path);
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void make(String name, Path into) {
        CommandLineTool.run("service", "new", name, "--directory", into.toString());
    }

    /** Runs Maven as a person does, and fails with what it says. */
    private static void maven(Path in, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q"));
        command.addAll(List.of(arguments));
        File log = Files.createTempFile(directory, "mvn", ".log").toFile();
        Process process = new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true).redirectOutput(log)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null"))).start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("mvn within 5 minutes").isTrue();
            assertThat(process.exitValue()).as(Files.readString(log.toPath())).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /** As its author does for the next version. */
    private static void setVersion(Path service, String version) throws IOException {
        Path pom = service.resolve("pom.xml");
        Files.writeString(pom, Files.readString(pom).replaceFirst("(<artifactId>" + service.getFileName() + "</artifactId>\\s*<version>)[^<]*",
                "$1" + version));
    }

    private static void checkPassed(Path service, String test, int count) throws IOException {
        String report = Files.readString(service.resolve("target/surefire-reports/TEST-" + test + ".xml"));
        assertThat(report).contains("tests=\"" + count + "\"", "errors=\"0\"", "skipped=\"0\"", "failures=\"0\"");
    }

    @Test
    void inACheckoutAndItRunsInANode() throws Exception {
        Path services = checkout.resolve("services");
        make("shout", services);
        make("string", services);
        setVersion(services.resolve("string"), "0.2.0");
        maven(checkout, "-pl", "services/shout,services/string", "-am", "verify", "-Dtest=ShoutTest,StringServiceTest",
                "-Dsurefire.failIfNoSpecifiedTests=false");
        checkPassed(services.resolve("shout"), "org.example.shout.ShoutTest", 2);
        checkPassed(services.resolve("string"), "org.example.string.StringServiceTest", 2);
        assertThat(BundleReader.read(services.resolve("string/target/string-0.2.0.jar")).version()).isEqualTo("0.2.0");
        Path bundle = services.resolve("shout/target/shout-0.1.0.jar");
        capitals(bundle, services.resolve("string/target/string-0.2.0.jar"));
    }

    /** With the API that comes with the program, and a local Maven repository that holds what this machine's holds, but for Tamanoir itself. Offline. */
    @Test
    void outsideTheCheckoutAndItsNextVersionRunsToo() throws Exception {
        Path api = api();
        Path elsewhere = directory.resolve("elsewhere");
        CommandLineTool.run("service", "new", "packet-counter", "--directory", elsewhere.toString(), "--package", "net.mine.counter", "--api", api.toUri().toString());
        Path service = elsewhere.resolve("packet-counter");
        String[] offline = {"-o", "-Daether.offline.protocols=file", "-Dmaven.repo.local=" + localRepository()};
        maven(service, Command.append(List.of(offline), "verify").toArray(String[]::new));
        checkPassed(service, "net.mine.counter.PacketCounterTest", 2);
        CommandLineTool.run("service", "next", service.toString(), "--part", "minor");
        maven(service, Command.append(List.of(offline), "-DskipTests", "package").toArray(String[]::new));
        Path next = service.resolve("target/packet-counter-0.2.0.jar");
        assertThat(BundleReader.read(next).name()).isEqualTo("packet-counter");
        try (JarFile jar = new JarFile(next.toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Bundle-SymbolicName")).isEqualTo("net.mine.counter");
        }
        capitals(service.resolve("target/packet-counter-0.1.0.jar"), next);
    }

    /** A sweep: it fetches Maven's plugin where no build has done so. Wrong: a template that the archetype fills in otherwise than {@code service new}. */
    @Test
    @Tag("sweep")
    void theArchetypeMakesTheSameFiles() throws Exception {
        Path api = api();
        Path elsewhere = Files.createDirectories(directory.resolve("generated"));
        Path expected = directory.resolve("expected");
        for (String[] service : new String[][] {{"packet-counter", "0x5501", "net.mine.counter", "middle"}, {"shout", "0x57ff", "org.example.shout", "heavy"}}) {
            CommandLineTool.run("service", "new", service[0], "--directory", expected.toString(), "--package", service[2], "--type-id", service[1], "--level", service[3], "--api",
                    api.toUri().toString());
            maven(elsewhere, "-gs", api.resolve("settings.xml").toString(), "-Dmaven.repo.local=" + localRepository(), "org.apache.maven.plugins:maven-archetype-plugin:3.4.1:generate",
                    "-DarchetypeGroupId=org.tamanoir", "-DarchetypeArtifactId=tamanoir-service-archetype", "-DarchetypeVersion=" + version(), "-Dapi=" + api.toUri(),
                    "-DgroupId=" + service[2].substring(0, service[2].lastIndexOf('.')), "-DartifactId=" + service[0], "-Dpackage=" + service[2], "-DtypeId=" + service[1], "-Dlevel=" + service[3]);
            Command.run(List.of("diff", "-r", expected.resolve(service[0]).toString(), elsewhere.resolve(service[0]).toString()));
        }
    }

    /** The Maven repository that comes with the program. */
    private static Path api() throws Exception {
        Path api = directory.resolve("maven");
        Process made = new ProcessBuilder(HOUSE.resolve("distribution/src/api/make-repository").toString(), System.getProperty("java.home"), api.toString(), version(),
                "2026-01-01T00:00:00Z", "without-javadoc").inheritIO().start();
        assertThat(made.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(made.exitValue()).isZero();
        return api;
    }

    private static String version() throws IOException {
        Matcher version = Pattern.compile("<version>([^<]*)</version>").matcher(Files.readString(HOUSE.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /** Sends through the bundle that was pushed last. */
    private static void capitals(Path... bundles) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            for (Path bundle : bundles) {
                grid.push(bundle);
            }
            int typeId = BundleReader.read(bundles[0]).typeId();
            try (AnepPeer peer = new AnepPeer(grid.node().address())) {
                peer.send(AnepPeer.opening(typeId, AnepPeer.to(server.port(), Delivery.RAW)));
                peer.send(AnepPeer.data(typeId, "hello, active network".getBytes(US_ASCII))).finish();
                assertThat(server.next().getInputStream().readAllBytes()).asString().isEqualTo("HELLO, ACTIVE NETWORK");
            }
        }
    }

    private static Path localRepository() throws Exception {
        Path real = Path.of(Test.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        while (!real.resolve("org/junit").toFile().isDirectory()) {
            real = real.getParent();
        }
        Path local = directory.resolve("repository");
        if (Files.exists(local)) {
            return local;
        }
        Files.createDirectories(local);
        link(real, local, "org");
        link(real.resolve("org"), Files.createDirectories(local.resolve("org")), "tamanoir");
        return local;
    }

    private static void link(Path from, Path to, String without) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.filter(each -> !each.endsWith(without)).toList()) {
                Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
            }
        }
    }
}
