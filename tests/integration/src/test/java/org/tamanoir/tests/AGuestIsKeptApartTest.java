package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Extension;

/** A repository and a node, both processes of their own, that take WebAssembly of guests: what a guest may publish, and who may use it. */
@Tag("long")
class AGuestIsKeptApartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FILTER = 0x5801;
    private static final int ATLAS = 0x5802;
    /** Memory, {@code tamanoir_buffer} that gives 8, {@code tamanoir_run} that gives 0: every packet passes. */
    private static final byte[] MODULE = HexFormat.of().parseHex("0061736d01000000010d0260017f017f60037f7f7f017f03030200010503010002072b03066d656d6f7279"
            + "02000f74616d616e6f69725f62756666657200000c74616d616e6f69725f72756e00010a0b02040041080b040041000b");

    @TempDir
    private static Path keys;
    private static Keyring keyring;

    @TempDir
    private Path directory;
    private LabProcess repository;
    private String url;
    private int uploads;

    @BeforeAll
    static void makeKeys() throws IOException {
        keyring = new Keyring(keys).add("alice").add("cms").add("atlas");
    }

    @BeforeEach
    void start() throws IOException {
        Files.writeString(directory.resolve("publishers.pem"), keyring.certificate("alice"));
        Files.writeString(directory.resolve("guests.pem"), keyring.certificate("cms") + keyring.certificate("atlas"));
        repository = LabProcess.start("repository", CommandLineTool.command("repository", "run", "--listen", "127.0.0.1:0", "--data", directory.resolve("repository").toString(),
                "--trust", directory.resolve("publishers.pem").toString(), "--guests", directory.resolve("guests.pem").toString(), "--guest-versions", "2"));
        url = repository.awaitLine("READY repository ", PATIENCE).replaceFirst("READY repository (\\S+).*", "$1");
    }

    @AfterEach
    void stop() {
        repository.close();
    }

    private static ServiceBundle bundle(String name, int typeId) {
        return ServiceBundle.wasm(name, typeId, MODULE);
    }

    private JsonNode push(ServiceBundle bundle, String publisher) throws IOException {
        Path jar = Files.write(directory.resolve("upload-" + ++uploads + ".jar"), keyring.signed(bundle, publisher));
        return HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", jar);
    }

    private void assertRefused(ServiceBundle bundle, String publisher, ErrorCode code, String message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> push(bundle, publisher)).withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @Test
    void itPublishesWithinItsQuotasAndUnderItsOwnNames() throws IOException {
        assertThat(push(bundle("~cms/filter", FILTER), "cms").path("publisher").asText()).isEqualTo("CN=cms");
        push(bundle("~cms/filter", FILTER).version("1.1.0"), "cms");
        assertRefused(bundle("~cms/filter", FILTER).version("1.2.0"), "cms", ErrorCode.GUEST_QUOTA, "service retire '~cms/filter' 1.0.0");
        assertThat(CommandLineTool.here("service", "retire", "--repository", url, "~cms/filter", "1.0.0").exit()).isZero();
        push(bundle("~cms/filter", FILTER).version("1.2.0"), "cms");

        assertRefused(bundle("filter", 0x5803), "cms", ErrorCode.NOT_FOR_GUESTS, "~cms/");
        assertRefused(bundle("~atlas/filter", 0x5803), "cms", ErrorCode.NOT_FOR_GUESTS, "~cms/");
        assertRefused(bundle("~cms/other", 0x5503), "cms", ErrorCode.NOT_FOR_GUESTS, "0x5800 to 0x5FFF");
        assertRefused(bundle("~alice/filter", 0x5803), "alice", ErrorCode.NOT_FOR_GUESTS, "guests alone");
        assertRefused(bundle("~atlas/filter", FILTER), "atlas", ErrorCode.TYPE_ID_TAKEN, "~cms/filter");

        Command.Result shown = CommandLineTool.here("service", "show", "--repository", url, "~cms/filter");
        assertThat(shown.output()).contains("~cms/filter", "1.1.0", "1.2.0", "retired");
        Command.Result listed = CommandLineTool.here("service", "list", "--repository", url);
        assertThat(listed.output().lines().filter(line -> line.startsWith("~cms "))).singleElement().asString().contains("1 of 8", "2 of 2", "3 of 60", "CN=cms");
    }

    private NodeProgram node(String name, String... more) throws IOException {
        return nodeOf(url, name, more);
    }

    private NodeProgram nodeOf(String from, String name, String... more) throws IOException {
        Path policy = Files.writeString(directory.resolve("access.yaml"), "rules:\n  - allow: 127.0.0.2\n    services: '~cms/*'\n  - allow: 127.0.0.0/8\n");
        return NodeProgram.withDescriptors(4096, directory.resolve(name), Command.append(List.of("--listen", "127.0.0.1:0", "--repository", from, "--access-policy", policy.toString(),
                "--trust", directory.resolve("publishers.pem").toString()), more).toArray(String[]::new));
    }

    private NodeProgram withGuests() throws IOException {
        return node("node", "--guests", directory.resolve("guests.pem").toString());
    }

    private static AnepPeer open(NodeProgram node, String from, TcpServer echo, int typeId) throws IOException {
        return new AnepPeer(node.address(), InetAddress.getByName(from)).send(AnepPeer.opening(typeId, AnepPeer.to(echo.port(), Delivery.RAW)));
    }

    private static JsonNode service(NodeProgram node, String typeId) {
        for (JsonNode each : node.admin().json("/services").path("services")) {
            if (each.path("typeId").asText().equals(typeId)) {
                return each;
            }
        }
        return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
    }

    @Test
    void itsServicesAreForThoseWhoAreLetUseThemByName() throws Exception {
        push(bundle("~cms/filter", FILTER), "cms");
        push(bundle("~atlas/filter", ATLAS), "atlas");
        try (NodeProgram node = withGuests(); TcpServer echo = TcpServer.echo()) {
            assertThat(node.admin().json("/status").path("trust").path("guests")).hasSize(2);
            // A rule without services is for no guest's, and one for another guest's neither.
            try (AnepPeer peer = open(node, "127.0.0.1", echo, FILTER)) {
                assertThat(peer.refusal()).isEqualTo(ErrorCode.NOT_PERMITTED);
            }
            try (AnepPeer peer = open(node, "127.0.0.2", echo, ATLAS)) {
                assertThat(peer.refusal()).isEqualTo(ErrorCode.NOT_PERMITTED);
            }
            assertThat(service(node, "0x5801").isMissingNode()).as("nothing is got for those who may not use it").isTrue();
            try (AnepPeer peer = open(node, "127.0.0.2", echo, FILTER)) {
                assertThat(peer.socket().isConnected()).isTrue();
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(service(node, "0x5801").path("publisher").asText()).isEqualTo("CN=cms"));
                assertThat(node.admin().json("/status").path("errors").path(ErrorCode.NOT_PERMITTED.toString()).asInt()).isEqualTo(2);
            }
            assertExplained(node, "127.0.0.2", "~cms/filter", "allowed", "line 2");
            assertExplained(node, "127.0.0.1", "~cms/filter", "refused", "is a guest's service");
            assertExplained(node, "127.0.0.2", "~atlas/filter", "refused", "is a guest's service");
            assertExplained(node, "127.0.0.1", "forward", "allowed", "line 4");
        }
    }

    private static void assertExplained(NodeProgram node, String from, String service, String decision, String because) {
        JsonNode explained = node.admin().post("/explain/access", Map.of("from", from, "to", "127.0.0.1:7000", "services", List.of(service)));
        assertThat(explained.path("decision").asText()).isEqualTo(decision);
        assertThat(explained.path("because").asText()).contains(because);
    }

    /** Felix runs the activator of an extension as soon as it is installed, and installs whatever it is asked to describe. */
    @Test
    void nothingInItsJarRunsAsJava() throws Exception {
        byte[] hostile = keyring.signed(bundle("~cms/filter", FILTER).header("Fragment-Host", "system.bundle;extension:=framework")
                .header("ExtensionBundle-Activator", Extension.class.getName()).classes(Extension.class), "cms");
        try (FakeRepository rogue = new FakeRepository(FakeRepository.text(FakeRepository.indexOf("~cms/filter", FILTER, "heavy", FakeRepository.sha256(hostile), "bundle.jar",
                hostile.length)), FakeRepository.octets(hostile)); TcpServer echo = TcpServer.echo();
                NodeProgram node = nodeOf(rogue.url(), "shown", "--guests", directory.resolve("guests.pem").toString()); AnepPeer peer = open(node, "127.0.0.2", echo, FILTER)) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.NOT_FOR_GUESTS);
            assertThat(service(node, "0x5801").path("reason").asText()).contains("Fragment-Host");
            assertThat(node.errors()).doesNotContain(Extension.SAYS);
            assertThat(directory.resolve("shown/bundles")).isEmptyDirectory();
        }
    }

    @Test
    void aNodeWithoutAListOfGuestsTakesNothingOfThem() throws Exception {
        push(bundle("~cms/filter", FILTER), "cms");
        try (NodeProgram node = node("other"); TcpServer echo = TcpServer.echo(); AnepPeer peer = open(node, "127.0.0.2", echo, FILTER)) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.UNKNOWN_PUBLISHER);
            assertThat(directory.resolve("other/bundles")).isEmptyDirectory();
        }
    }
}
