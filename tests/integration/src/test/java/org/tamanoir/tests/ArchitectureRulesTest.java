package org.tamanoir.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.core.importer.Locations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Modules, and the packages of the node, use only those below them; docs/decisions/0001 says why. */
@Tag("rules")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureRulesTest {
    private static final String HOUSE = "org.tamanoir.";
    private static final String NODE = HOUSE + "node";
    /** The test kit is no dependency of these tests: its configuration of the log would stand beside theirs. */
    private static final Path TEST_KIT = Path.of("../../ee-core/service-testkit/target/classes");

    /** Of this instance, which goes when its tests are over: every later collection of this JVM would walk through all of it. */
    private final JavaClasses all = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importLocations(house());

    private static Set<Location> house() {
        Set<Location> locations = new HashSet<>(Locations.ofPackage("org.tamanoir"));
        locations.add(Location.of(TEST_KIT));
        return locations;
    }

    /** A module by its package, and the modules that it may use besides itself. */
    @ParameterizedTest
    @CsvSource({
        "anep,          ''",
        "service,       anep",
        "http,          anep",
        "console,       'http, identity, anep'",
        "trust,         anep",
        "tuf,           anep",
        "identity,      anep",
        "dyram,         anep",
        "interest,      anep",
        "collective,    anep",
        "qos,           'service, anep'",
        "client,        'collective, dyram, qos, interest, service, identity, anep'",
        "database,      anep",
        "oci,           'http, anep'",
        "transfer,      'client, database, qos, service, http, identity, anep'",
        "paths,         'service, anep'",
        "fleet,         'service, anep'",
        "wasm,          'service, anep'",
        "kernel,        'service, anep'",
        "settings,      anep",
        "membership,    anep",
        "cluster,       'kernel, service, membership, settings, http, identity, anep'",
        "node,          'console, tuf, wasm, kernel, oci, paths, fleet, service, trust, membership, settings, http, identity, anep'",
        "repository,    'database, oci, wasm, fleet, service, trust, tuf, settings, http, identity, anep'",
        "observatory,   'database, paths, settings, http, identity, anep'",
        "cli,           'console, tuf, wasm, node, oci, kernel, cluster, transfer, observatory, paths, fleet, client, collective, dyram, qos, interest, repository, trust, service, settings, http, identity, anep'",
        "services,      'service, collective, dyram, qos, interest, paths, anep'",
        "lab,           ''",
        "benchmarks,    'services, cli, wasm, console, lab, client, observatory, database, paths, fleet, collective, dyram, qos, interest, kernel, trust, identity, service, http, anep'"})
    void aModuleUsesOnlyTheModulesBelowIt(String module, String below) {
        String[] allowed = Stream.concat(Stream.of(module), names(below)).map(name -> HOUSE + name + "..").toArray(String[]::new);
        noClasses().that().resideInAPackage(HOUSE + module + "..")
                .should().dependOnClassesThat(of("the house beyond " + Arrays.toString(allowed),
                        resideInAPackage("org.tamanoir..").and(not(resideInAnyPackage(allowed)))))
                .check(all);
    }

    /** A room of the node, and the rooms that it may use besides itself. */
    @ParameterizedTest
    @CsvSource({
        "manage,    'cluster, fleet, stream, tcpstate, tuning, firefly, trace, access, identity, link, probe, service, deploy, routing, offload, transport, waits'",
        "cluster,   'stream, service, transport'",
        "fleet,     ''",
        "stream,    'access, identity, link, service, deploy, routing, offload, tcpstate, tuning, firefly, trace, transport, waits'",
        "tuning,    transport",
        "tcpstate,  transport",
        "firefly,   ''",
        "trace,     ''",
        "access,    'identity, routing'",
        "identity,  ''",
        "link,      'service, transport'",
        "flow,      'routing, transport'",
        "connection, 'routing, service, transport'",
        "worker,    service",
        "server,    ''",
        "deploy,    'service, transport, waits'",
        "service,   'transport, waits'",
        "store,     ''",
        "probe,     ''",
        "routing,   transport",
        "offload,   'service, transport'",
        "transport, ''",
        "waits,     ''"})
    void aRoomOfTheNodeUsesOnlyTheRoomsBelowIt(String room, String below) {
        String[] allowed = Stream.concat(Stream.of(room), names(below)).map(name -> NODE + "." + name + "..").toArray(String[]::new);
        noClasses().that().resideInAPackage(NODE + "." + room + "..")
                .should().dependOnClassesThat(of("rooms beyond " + Arrays.toString(allowed),
                        resideInAPackage(NODE + "..").and(not(resideInAnyPackage(allowed)))))
                .check(all);
    }

    @Test
    void noPackagesUseEachOtherInACircle() {
        slices().matching("(org.tamanoir..)").should().beFreeOfCycles().check(all);
    }

    @Test
    void theWireFormatNeedsNothingButJavaAndNetty() {
        classes().that().resideInAPackage(HOUSE + "anep..").should().onlyDependOnClassesThat(of("the wire format, Java and Netty's buffers",
                resideInAnyPackage(HOUSE + "anep..", "java..", "io.netty.buffer..", "io.netty.handler.codec..", "io.netty.util..",
                        "io.netty.channel..", "org.osgi.annotation.."))).check(all);
    }

    /** What the framework of a node offers to bundles, and what a bundle carries inside itself. */
    @Test
    void aServiceSeesTheServiceApiAndWhatItCarries() {
        classes().that().resideInAPackage(HOUSE + "services..").should().onlyDependOnClassesThat(of("what a node offers to services",
                resideInAnyPackage(HOUSE + "services..", HOUSE + "service", HOUSE + "service.link", HOUSE + "service.rule",
                        HOUSE + "service.qos", HOUSE + "service.probe", HOUSE + "service.flow", HOUSE + "service.connection", HOUSE + "service.worker", HOUSE + "service.lease", HOUSE + "service.server", HOUSE + "service.tcp", HOUSE + "anep", HOUSE + "qos", HOUSE + "qos.spec", HOUSE + "qos.wire",
                        "com.fasterxml.jackson.core", "com.fasterxml.jackson.databind", "com.fasterxml.jackson.databind.node",
                        HOUSE + "interest.wire", HOUSE + "collective", HOUSE + "dyram.wire", HOUSE + "dyram.address", HOUSE + "dyram.hop", HOUSE + "dyram.node", HOUSE + "paths.plan", HOUSE + "paths.agenda",
                        HOUSE + "paths.metrics", HOUSE + "paths.topology", HOUSE + "paths.series", HOUSE + "paths.wire", "java..", "io.netty.buffer", "io.netty.util", "org.slf4j", "org.osgi.service.component.annotations", "com.github.luben.zstd..", "com.github.benmanes.caffeine.cache..", "dev.cel..", "com.google.protobuf", "org.locationtech.jts..", "com.datadoghq.sketch.."))).check(all);
    }

    /** Streams are recorded without knowing who carries that away. */
    @Test
    void onePackageKnowsTheLibraryOfTraces() {
        noClasses().that().resideOutsideOfPackage(NODE + ".trace.otlp").and().resideInAPackage(HOUSE + "node..")
                .should().dependOnClassesThat().resideInAPackage("io.opentelemetry..").check(all);
    }

    /** Time and messages come from whoever drives them: a simulator or Netty. */
    @ParameterizedTest
    @ValueSource(strings = {"dyram", "paths", "interest", "tuf.format", "tuf.client", "tuf.sign", "fleet"})
    void aCoreDoesNoInputOrOutput(String core) {
        noClasses().that().resideInAPackage(HOUSE + core + "..").should().dependOnClassesThat(of("sockets, files, threads and clocks",
                resideInAnyPackage("java.nio.channels..", "java.nio.file..", "java.net.http..", "io.netty.channel..", "java.util.concurrent..",
                        "java.time.chrono..").or(named("java.net.Socket", "java.net.DatagramSocket", "java.lang.Thread", "java.time.Clock",
                                "java.io.File", "java.util.Timer")))).check(all);
        noClasses().that().resideInAPackage(HOUSE + core + "..").should().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis").check(all);
    }

    @Test
    void aServiceKnowsNoOtherService() {
        slices().matching(HOUSE + "services.(*)..").should().notDependOnEachOther().check(all);
    }

    @Test
    void aServiceOpensNoSocketAndStartsNoThread() {
        noClasses().that().resideInAPackage(HOUSE + "services..").should().dependOnClassesThat(of("sockets, threads and their pools",
                resideInAnyPackage("java.nio.channels..", "javax.net..", "java.net.http..")
                        .or(named("java.net.Socket", "java.net.ServerSocket", "java.net.DatagramSocket", "java.net.URLConnection",
                                "java.lang.Thread", "java.util.Timer", "java.util.concurrent.Executors",
                                "java.util.concurrent.ThreadPoolExecutor", "java.util.concurrent.ForkJoinPool",
                                "java.util.concurrent.CompletableFuture")))).check(all);
    }

    /** Without this the rules above would hold of modules that are not there. */
    @Test
    void everyModuleIsLookedAt() {
        assertThat(all.stream().map(JavaClass::getPackageName).distinct()).contains("org.tamanoir.anep", "org.tamanoir.service", "org.tamanoir.service.rule", "org.tamanoir.kernel",
                "org.tamanoir.service.testkit", "org.tamanoir.paths.agenda", "org.tamanoir.http", "org.tamanoir.trust", "org.tamanoir.tuf.client", "org.tamanoir.client", "org.tamanoir.node",
                "org.tamanoir.node.manage", "org.tamanoir.console.board",
                "org.tamanoir.node.stream", "org.tamanoir.node.waits", "org.tamanoir.node.tcpstate", "org.tamanoir.node.firefly", "org.tamanoir.node.trace.otlp", "org.tamanoir.node.cluster", "org.tamanoir.node.cluster.load",
                "org.tamanoir.node.cluster.virtual", "org.tamanoir.node.fleet", "org.tamanoir.fleet.rollout", "org.tamanoir.membership", "org.tamanoir.node.link", "org.tamanoir.node.probe", "org.tamanoir.node.service", "org.tamanoir.node.deploy", "org.tamanoir.node.routing",
                "org.tamanoir.node.offload", "org.tamanoir.node.transport", "org.tamanoir.repository", "org.tamanoir.observatory.live", "org.tamanoir.cli", "org.tamanoir.lab",
                "org.tamanoir.benchmarks", "org.tamanoir.services.forward", "org.tamanoir.services.monitoring",
                "org.tamanoir.services.compression", "org.tamanoir.services.aggregate", "org.tamanoir.services.theodolite", "org.tamanoir.paths.wire", "org.tamanoir.node.flow", "org.tamanoir.node.connection", "org.tamanoir.node.worker", "org.tamanoir.node.server", "org.tamanoir.services.dyram", "org.tamanoir.services.cache", "org.tamanoir.services.interest.tree", "org.tamanoir.interest.wire", "org.tamanoir.dyram.hop");
    }

    private static Stream<String> names(String list) {
        return list.isBlank() ? Stream.empty() : Arrays.stream(list.split(",")).map(String::trim);
    }

    private static DescribedPredicate<JavaClass> named(String... names) {
        return DescribedPredicate.describe(String.join(", ", names), type -> Arrays.asList(names).contains(type.getName()));
    }

    private static DescribedPredicate<JavaClass> of(String words, DescribedPredicate<JavaClass> predicate) {
        return predicate.as(words);
    }

    @Test
    void noFileIsLongerThan500Lines() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("../.."))) {
            for (Path file : files.filter(file -> file.toString().endsWith(".java") && !file.toString().contains("/target/")).toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    assertThat(lines.count()).as("lines of %s", file).isLessThanOrEqualTo(500);
                }
            }
        }
    }

    /** A second attempt with another seed tests something else, see docs/decisions/0023-a-second-attempt.md. */
    @Test
    void aTestThatASeedDrivesIsMarkedAndNoneDrawsASeedThatIsNotShown() throws IOException {
        Pattern seeded = Pattern.compile("\\b(long|int) seed\\b");
        Pattern unseeded = Pattern.compile("new (Splittable)?Random\\(\\)|ThreadLocalRandom\\.current");
        try (Stream<Path> files = Files.walk(Path.of("../.."))) {
            for (Path file : files.filter(each -> each.toString().endsWith("Test.java") && !each.toString().contains("/target/")).toList()) {
                String text = Files.readString(file);
                boolean marked = text.contains("@Tag(\"seeded\")") || text.contains("net.jqwik.api");
                assertThat(unseeded.matcher(text).find()).as("%s draws a seed that nobody sees", file).isFalse();
                assertThat(!text.contains("org.junit.jupiter.api.Test;") || marked || !seeded.matcher(text).find()).as("%s has no tag \"seeded\"", file).isTrue();
            }
        }
    }
}
