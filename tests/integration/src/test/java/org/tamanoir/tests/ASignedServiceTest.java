package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A node runs what a publisher in its trust store has signed and nothing else, whoever offers it. */
@Tag("long")
class ASignedServiceTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "throws";

    @TempDir
    private static Path keys;
    private static Keyring keyring;
    private static ServiceBundle plain;
    private static byte[] good;

    @BeforeAll
    static void makeKeys() throws IOException {
        keyring = new Keyring(keys).add("alice").add("stranger").add("thief").addExpired("late").addKey("stolen", "alice").add("brief", "-validity", "5");
        plain = new ServiceBundle(NAME, TYPE, "middle", Faulty.class).entry("padding", new byte[500]);
        good = keyring.signed(plain, "alice");
    }

    /** What can be wrong with a bundle. */
    enum Fault {
        UNSIGNED(ErrorCode.UNSIGNED) {
            @Override
            byte[] bundle() {
                return plain.octets();
            }
        },
        UNKNOWN_PUBLISHER(ErrorCode.UNKNOWN_PUBLISHER) {
            @Override
            byte[] bundle() throws IOException {
                return keyring.signed(plain, "stranger");
            }
        },
        TAMPERED(ErrorCode.TAMPERED) {
            @Override
            byte[] bundle() throws IOException {
                return tampered(good);
            }
        },
        EXPIRED(ErrorCode.CERTIFICATE_EXPIRED) {
            @Override
            byte[] bundle() throws IOException {
                return keyring.signed(plain, "late");
            }
        },
        KEY_REVOKED(ErrorCode.REVOKED) {
            @Override
            byte[] bundle() throws IOException {
                return keyring.signed(plain, "thief");
            }
        },
        BUNDLE_REVOKED(ErrorCode.REVOKED) {
            @Override
            byte[] bundle() throws IOException {
                return keyring.signed(new ServiceBundle(NAME, TYPE, "middle", Faulty.class).entry("padding", new byte[501]), "alice");
            }

            @Override
            String revoked(byte[] bundle) {
                return "bundle " + FakeRepository.sha256(bundle) + "\n";
            }
        };

        private final ErrorCode code;

        Fault(ErrorCode code) {
            this.code = code;
        }

        abstract byte[] bundle() throws IOException;

        String revoked(byte[] bundle) {
            return "key " + keyring.key("thief") + " # stolen\n";
        }
    }

    /** Who can offer a bundle. */
    enum Offer { REPOSITORY, NEIGHBOUR, PREVIOUS_NODE, STORE, PUSHED }

    /** A zip archive of the same entries of which one has another octet. */
    private static byte[] tampered(byte[] jar) throws IOException {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar)); ZipOutputStream out = new ZipOutputStream(octets)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                out.putNextEntry(new ZipEntry(entry.getName()));
                byte[] content = in.readAllBytes();
                if (entry.getName().equals("padding")) {
                    content[17] ^= 1;
                }
                out.write(content);
            }
        }
        return octets.toByteArray();
    }

    /** What the node trusts; the files are in the directory of the grid. */
    private static Path trust(Grid grid, String... publishers) throws IOException {
        StringBuilder pem = new StringBuilder();
        for (String publisher : publishers) {
            pem.append(keyring.certificate(publisher));
        }
        return Files.writeString(grid.directory().resolve("publishers.pem"), pem);
    }

    private static Path revoked(Grid grid, String text) throws IOException {
        return Files.writeString(grid.directory().resolve("revoked"), text);
    }

    private static FakeRepository offering(byte[] bundle) throws IOException {
        return new FakeRepository(FakeRepository.text(FakeRepository.indexOf(NAME, TYPE, "middle", FakeRepository.sha256(bundle), "bundle.jar",
                bundle.length)), FakeRepository.octets(bundle));
    }

    private static int port(FakeRepository repository) {
        return Integer.parseInt(repository.url().substring(repository.url().lastIndexOf(':') + 1));
    }

    /** As if it had been kept in a time when it was trusted. */
    private static void plant(Path data, byte[] bundle) throws IOException {
        Path store = Files.createDirectories(data.resolve("bundles"));
        String hash = FakeRepository.sha256(bundle);
        Files.write(store.resolve(hash + ".jar"), bundle);
        Files.writeString(store.resolve(hash + ".json"), "{\"typeId\":" + TYPE + ",\"name\":\"" + NAME
                + "\",\"version\":\"1.0.0\",\"level\":\"middle\",\"sha256\":\"" + hash + "\",\"size\":" + bundle.length + ",\"content\":null}");
    }

    private static AnepPeer open(Node node, TcpServer echo, int type, PreviousNode previous) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(type, AnepPeer.to(echo.port(), Delivery.RAW).previousNode(previous)));
    }

    private static void assertServed(AnepPeer peer, int type) throws IOException {
        peer.send(AnepPeer.data(type, new byte[] {1, 2, 3}));
        assertThat(peer.receive().payloadLength()).isEqualTo(3);
    }

    private static Stream<Arguments> everyFaultFromEverybody() {
        return Arrays.stream(Fault.values()).flatMap(fault -> Arrays.stream(Offer.values()).map(offer -> Arguments.of(fault, offer)));
    }

    /** Each fault twice and each who offers it, in pairs that change from day to day: all of them meet the same check. */
    private static Stream<Arguments> someOfThem() {
        int day = (int) LocalDate.now().toEpochDay();
        int offers = Offer.values().length;
        return Arrays.stream(Fault.values()).flatMap(fault -> IntStream.of(0, 2).mapToObj(more -> Arguments.of(fault, Offer.values()[(fault.ordinal() + more + day) % offers])));
    }

    @ParameterizedTest
    @MethodSource("everyFaultFromEverybody")
    @Tag("sweep")
    void isRefusedWithItsReasonWhoeverOffersWhatever(Fault fault, Offer offer) throws Exception {
        isRefusedWithItsReasonWhoeverOffersIt(fault, offer);
    }

    @ParameterizedTest
    @MethodSource("someOfThem")
    void isRefusedWithItsReasonWhoeverOffersIt(Fault fault, Offer offer) throws Exception {
        byte[] bundle = fault.bundle();
        try (Grid grid = new Grid(); FakeRepository hostile = offering(bundle); TcpServer echo = TcpServer.echo()) {
            if (offer == Offer.STORE) {
                plant(grid.directory().resolve("node0"), bundle);
            }
            Node node = grid.node(configuration -> {
                configuration.set("development", false);
                configuration.set("repositories", offer == Offer.REPOSITORY ? List.of(hostile.url()) : List.of());
                configuration.set("neighbours", offer == Offer.NEIGHBOUR ? List.of("127.0.0.1:" + port(hostile)) : List.of());
                configuration.set("limits.remember-failure", "100ms");
                prepared(() -> {
                    configuration.set("trust", trust(grid, "alice", "thief", "late"));
                    configuration.set("revoked", revoked(grid, fault.revoked(bundle)));
                });
            });
            NodeView view = new NodeView(node);
            if (offer == Offer.PUSHED) {
                Path jar = Files.write(grid.directory().resolve("upload.jar"), bundle);
                assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Grid.admin(node).put("/bundles", jar))
                        .matches(e -> e.code() == fault.code, fault.code.toString());
            } else {
                PreviousNode previous = offer == Offer.PREVIOUS_NODE ? new PreviousNode(99, port(hostile)) : null;
                try (AnepPeer peer = open(node, echo, TYPE, previous)) {
                    assertThat(peer.refusal()).isEqualTo(fault.code);
                }
                assertThat(view.service(TYPE).path("state").asText()).isEqualTo("failed");
                assertThat(view.service(TYPE).path("reason").asText()).startsWith(fault.code.toString());
                assertThat(view.service(TYPE).path("advice").asText()).isNotEmpty();
            }
            if (offer != Offer.STORE) {
                assertThat(grid.directory().resolve("node0/bundles")).as("what is kept of it").isEmptyDirectory();
            }
            await("the node warms up there").untilAsserted(() -> assertThat(grid.directory().resolve("node0/incoming")).isEmptyDirectory());
            assertThatTheTrueOneIsTaken(grid, node, echo);
        }
    }

    private static void assertThatTheTrueOneIsTaken(Grid grid, Node node, TcpServer echo) throws IOException {
        JsonNode entry = Grid.admin(node).put("/bundles", Files.write(grid.directory().resolve("good.jar"), good));
        assertThat(entry.path("publisher").asText()).isEqualTo("CN=alice");
        assertThat(entry.path("source").asText()).isEqualTo("pushed");
        try (AnepPeer peer = open(node, echo, TYPE, null)) {
            assertServed(peer, TYPE);
        }
    }

    /** Something that makes files. */
    private interface Preparation {
        void run() throws IOException;
    }

    private static void prepared(Preparation preparation) {
        try {
            preparation.run();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Node trusting(Grid grid, Path trust, Path revoked, FakeRepository... repositories) {
        return grid.node(configuration -> {
            configuration.set("development", false);
            configuration.set("trust", trust);
            configuration.set("revoked", revoked);
            configuration.set("repositories", Arrays.stream(repositories).map(FakeRepository::url).toList());
            configuration.set("limits.remember-failure", "100ms");
            configuration.set("upgrade.failures", 1);
        });
    }

    /** A hostile source in front costs a stream nothing but the way to the next source. */
    @ParameterizedTest
    @EnumSource
    void isLookedForFurtherOnWhenTheFirstSourceOffersAFalseOne(Fault fault) throws IOException {
        byte[] bundle = fault.bundle();
        try (Grid grid = new Grid(); FakeRepository hostile = offering(bundle); FakeRepository honest = offering(good);
                TcpServer echo = TcpServer.echo()) {
            Node node = trusting(grid, trust(grid, "alice", "thief", "late"), revoked(grid, fault.revoked(bundle)), hostile, honest);
            try (AnepPeer peer = open(node, echo, TYPE, null)) {
                assertServed(peer, TYPE);
            }
            JsonNode service = new NodeView(node).service(TYPE);
            assertThat(service.path("source").asText()).isEqualTo(honest.url());
            assertThat(service.path("publisher").asText()).isEqualTo("CN=alice");
        }
    }

    /** Where a version is when it is revoked; streams use it each time. */
    enum Moment { CURRENT, DRAINING, RETURNED_FROM }

    /** The old version is signed with alice's own key, the new one with one that was stolen from her; or, where the old one drains, the other way round. */
    @ParameterizedTest
    @EnumSource
    void endsItsStreamsWhenItIsRevokedAndNoOthers(Moment moment) throws Exception {
        boolean stolenFirst = moment == Moment.DRAINING;
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo()) {
            Path list = revoked(grid, "# nothing yet\n");
            Node node = trusting(grid, trust(grid, "alice", "stolen"), list);
            NodeView view = new NodeView(node);
            push(grid, node, new ServiceBundle(NAME, TYPE, "middle", Faulty.class), stolenFirst ? "stolen" : "alice");
            ServiceBundle other = new ServiceBundle("other", TYPE + 1, "middle", Faulty.class);
            push(grid, node, other, "alice");
            try (AnepPeer first = open(node, echo, TYPE, null); AnepPeer bystander = open(node, echo, TYPE + 1, null)) {
                assertServed(first, TYPE);
                assertServed(bystander, TYPE + 1);
                push(grid, node, new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version("2.0.0"), stolenFirst ? "alice" : "stolen");
                try (AnepPeer second = open(node, echo, TYPE, null)) {
                    assertServed(second, TYPE);
                    if (moment == Moment.RETURNED_FROM) {
                        failOnProbation(node, echo);
                        assertThat(view.service(TYPE).path("version").asText()).isEqualTo("1.0.0");
                    }
                    AnepPeer bad = stolenFirst ? first : second;
                    AnepPeer well = stolenFirst ? second : first;
                    revoked(grid, "key " + keyring.key("stolen") + "\n");
                    long start = System.nanoTime();
                    assertThat(bad.refusal()).isEqualTo(ErrorCode.SERVICE_REMOVED);
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
                    assertServed(well, TYPE);
                    assertServed(bystander, TYPE + 1);
                }
                assertThatItIsGone(grid, view, stolenFirst ? "1.0.0" : "2.0.0");
                try (AnepPeer peer = open(node, echo, TYPE, null)) {
                    assertServed(peer, TYPE);
                }
            }
        }
    }

    private static void push(Grid grid, Node node, ServiceBundle bundle, String publisher) throws IOException {
        JsonNode entry = Grid.admin(node).put("/bundles", Files.write(grid.directory().resolve("push.jar"), keyring.signed(bundle, publisher)));
        assertThat(entry.path("publisher").asText()).isEqualTo(publisher.equals("stolen") ? "CN=alice" : "CN=" + publisher);
    }

    /** The first version comes back; streams of the second that it has not failed stay on it. */
    private static void failOnProbation(Node node, TcpServer echo) throws IOException {
        try (AnepPeer failing = open(node, echo, TYPE, null)) {
            assertThat(failing.send(AnepPeer.data(TYPE, new byte[] {Faulty.BAD})).refusal()).isEqualTo(ErrorCode.SERVICE_ERROR);
        }
    }

    private static void assertThatItIsGone(Grid grid, NodeView view, String version) {
        await().untilAsserted(() -> {
            JsonNode bad = view.versions(TYPE).stream().filter(each -> each.path("version").asText().equals(version)).findFirst().orElseThrow();
            assertThat(bad.path("state").asText()).isIn("removed", "failed");
            assertThat(bad.path("reason").asText()).startsWith("EE-316");
            assertThat(bad.path("streams").asInt()).isZero();
            assertThat(grid.directory().resolve("node0/bundles/" + bad.path("sha256").asText() + ".jar")).doesNotExist();
        });
    }

    @Test
    void staysTrustedWhileTheTrustStoreIsGarbage() throws IOException {
        byte[] strangers = keyring.signed(plain, "stranger");
        try (Grid grid = new Grid(); FakeRepository repository = offering(good); TcpServer echo = TcpServer.echo()) {
            Path publishers = trust(grid, "alice");
            Node node = trusting(grid, publishers, null, repository);
            NodeView view = new NodeView(node);
            Files.writeString(publishers, "-----BEGIN CERTIFICATE-----\nnonsense\n");
            await().until(() -> view.status().path("trust").hasNonNull("problem"));
            try (AnepPeer peer = open(node, echo, TYPE, null)) {
                assertServed(peer, TYPE);
                Files.delete(publishers);
                await().until(() -> view.status().path("trust").path("problem").asText().contains("publishers.pem"));
                assertServed(peer, TYPE);
                Path upload = Files.write(grid.directory().resolve("upload.jar"), strangers);
                assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Grid.admin(node).put("/bundles", upload))
                        .matches(e -> e.code() == ErrorCode.UNKNOWN_PUBLISHER);
                trust(grid, "alice", "stranger");
                await().until(() -> !view.status().path("trust").hasNonNull("problem"));
                assertServed(peer, TYPE);
            }
            assertThat(view.status().path("trust").path("publishers").size()).isEqualTo(2);
        }
    }

    /** A list that is lost, emptied or older takes nothing back, not even with a restart; that it is lost is seen in health. */
    @Test
    void staysRevokedWhateverBecomesOfTheList() throws IOException {
        try (Grid grid = new Grid()) {
            Path publishers = trust(grid, "alice");
            Path list = revoked(grid, "serial 3\n");
            try (Node node = again(grid, publishers, list)) {
                NodeView view = new NodeView(node);
                Grid.admin(node).put("/bundles", Files.write(grid.directory().resolve("good.jar"), good));
                revoked(grid, "serial 4\nbundle " + FakeRepository.sha256(good));
                await().untilAsserted(() -> assertThat(view.service(TYPE).path("reason").asText()).startsWith("EE-316"));
                Files.delete(list);
                await().untilAsserted(() -> assertThat(view.health().path("trustProblem").asText()).contains("cannot be read"));
                assertThat(view.health().path("status").asText()).isEqualTo("degraded");
                revoked(grid, "");
                await().untilAsserted(() -> assertThat(view.health().path("trustProblem").asText()).contains("lower than 4"));
                revoked(grid, "serial 5\n");
                await().untilAsserted(() -> assertThat(view.health().path("status").asText()).isEqualTo("ok"));
            }
            try (Node node = again(grid, publishers, list)) {
                Path jar = Files.write(grid.directory().resolve("good.jar"), good);
                assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Grid.admin(node).put("/bundles", jar))
                        .matches(e -> e.code() == ErrorCode.REVOKED);
            }
        }
    }

    private static Node again(Grid grid, Path publishers, Path list) {
        return grid.again(configuration -> configuration.set("development", false).set("trust", publishers).set("revoked", list));
    }

    @Test
    void saysBeforeTheCertificateOfItsPublisherExpires() throws IOException {
        try (Grid grid = new Grid()) {
            Node node = trusting(grid, trust(grid, "alice", "brief"), revoked(grid, ""));
            NodeView view = new NodeView(node);
            push(grid, node, plain, "alice");
            assertThat(view.health().path("status").asText()).isEqualTo("ok");
            push(grid, node, new ServiceBundle("other", TYPE + 1, "middle", Faulty.class), "brief");
            assertThat(view.health().path("status").asText()).isEqualTo("degraded");
            assertThat(view.health().path("certificatesExpire").path("CN=brief").asText()).startsWith("expires at ");
            double seconds = view.metric("tamanoir_publisher_certificate_expires_seconds{publisher=\"CN=brief\"}") - System.currentTimeMillis() / 1000.0;
            assertThat(seconds).isBetween(Duration.ofDays(4).toSeconds() * 1.0, Duration.ofDays(5).toSeconds() * 1.0);
        }
    }

    /** The first publisher of a name and a Type ID owns them, also where nothing of it runs or is kept, until an operator gives them away. */
    @Test
    void hasAnOwnerWhomNoOtherTrustedPublisherFollows() throws IOException {
        try (Grid grid = new Grid(); FakeRepository thiefs = offering(keyring.signed(plain, "thief")); TcpServer echo = TcpServer.echo()) {
            Path publishers = trust(grid, "alice", "thief");
            Path list = revoked(grid, "");
            List<ServiceBundle> claims = List.of(new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version("2.0.0"),
                    new ServiceBundle(NAME, TYPE + 1, "middle", Faulty.class), new ServiceBundle("other", TYPE, "middle", Faulty.class));
            try (Node node = again(grid, publishers, list)) {
                push(grid, node, plain, "alice");
                for (ServiceBundle claim : claims) {
                    assertTaken(grid, node, claim);
                }
                Grid.admin(node).delete("/services/" + NAME);
                await().untilAsserted(() -> assertThat(grid.directory().resolve("node0/bundles")).isEmptyDirectory());
            }
            try (Node node = grid.again(configuration -> configuration.set("development", false).set("trust", publishers).set("revoked", list)
                    .set("repositories", List.of(thiefs.url())))) {
                for (ServiceBundle claim : claims) {
                    assertTaken(grid, node, claim);
                }
                try (AnepPeer peer = open(node, echo, TYPE, null)) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.TYPE_ID_TAKEN);
                }
                assertThat(grid.directory().resolve("node0/bundles")).isEmptyDirectory();
            }
            Path owners = grid.directory().resolve("node0/owners.json");
            Files.writeString(owners, Files.readString(owners).replace("CN=alice", "CN=thief"));
            try (Node node = again(grid, publishers, list)) {
                push(grid, node, claims.get(0), "thief");
            }
        }
    }

    private static void assertTaken(Grid grid, Node node, ServiceBundle claim) throws IOException {
        Path jar = Files.write(grid.directory().resolve("claim.jar"), keyring.signed(claim, "thief"));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Grid.admin(node).put("/bundles", jar)).withMessageContaining("CN=alice")
                .matches(e -> e.code() == ErrorCode.TYPE_ID_TAKEN);
    }
}
