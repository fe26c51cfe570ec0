package org.tamanoir.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.identity.token.TokenIssuer;

class AccessControlTest {
    private static final InetSocketAddress TO = new InetSocketAddress("10.2.0.1", 5000);

    @TempDir
    Path directory;
    private AccessControl access;

    @AfterEach
    void close() {
        if (access != null) {
            access.close();
        }
    }

    private AccessControl open(String text) throws IOException {
        access = new AccessControl(Files.writeString(directory.resolve("access.yaml"), text), Clock.systemUTC());
        return access;
    }

    private Permit ask(String address, String token) throws IOException {
        return access.ask(InetAddress.getByName(address), List.of(), token, TO, List.of(0x5402), GuestNames.NONE).join();
    }

    @Test
    void anIdentityHasItsStreamsAndGetsThemBack() throws IOException {
        open("rules:\n  - allow: 192.0.2.0/24\n    streams: 2\n");
        Permit first = ask("192.0.2.1", null);
        ask("192.0.2.1", null);
        assertThatThrownBy(() -> ask("192.0.2.1", null)).hasMessageContaining("EE-206");
        assertThat(ask("192.0.2.2", null).identity()).as("another one has two of its own").isEqualTo("192.0.2.2/32");
        first.close();
        first.close();
        ask("192.0.2.1", null);
        assertThatThrownBy(() -> ask("192.0.2.1", null)).as("one was closed, although twice").hasMessageContaining("EE-206");
    }

    @Test
    void nothingIsRememberedOfThoseWhoAreGone() throws IOException {
        open("rules:\n  - allow: anybody\n    streams: 1\n");
        for (int i = 0; i < 1000; i++) {
            ask("10.0." + i / 250 + "." + i % 250, null).close();
        }
        assertThat(access.describe().toString()).contains("decided=1000").contains("open={}");
    }

    @Test
    @Tag("long")
    void streamsStayCountedWhenTheFileChanges() throws IOException {
        Path file = directory.resolve("access.yaml");
        open("rules:\n  - allow: 192.0.2.0/24\n    streams: 1\n");
        Permit held = ask("192.0.2.1", null);
        Files.writeString(file, "rules:\n  - deny: 192.0.2.9\n  - allow: 192.0.2.0/24\n    streams: 1\n");
        await().until(() -> access.describe().toString().contains("deny"));
        assertThatThrownBy(() -> ask("192.0.2.1", null)).hasMessageContaining("EE-206");
        held.close();
        assertThat(ask("192.0.2.1", null).because()).isEqualTo("line 3: allow 192.0.2.0/24, streams 1");
    }

    @Test
    @Tag("long")
    void aFileThatIsRefusedChangesNothingAndIsAProblem() throws IOException {
        Path file = directory.resolve("access.yaml");
        open("rules:\n  - allow: 192.0.2.0/24\n");
        Files.writeString(file, "rules:\n  - allow: anybody\n  - deny: anybody\n");
        await().until(() -> access.problem() != null);
        assertThat(access.problem()).contains("line 3").contains("the other way round");
        assertThatThrownBy(() -> ask("198.51.100.1", null)).hasMessageContaining("EE-216");
        Files.writeString(file, "rules:\n  - allow: anybody\n");
        await().until(() -> access.problem() == null);
        assertThat(ask("198.51.100.1", null).identity()).isEqualTo("198.51.100.1/32");
    }

    @Test
    void whatDecidesIsExplained() throws IOException {
        TokenIssuer cms = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        open("issuers:\n  - {issuer: '" + cms.name() + "', keys: " + cms.keys() + ", audience: here}\nrules:\n  - allow: " + cms.name() + "\n    scope: storage.read:/cms\n");
        InetAddress from = InetAddress.getByName("192.0.2.1");
        String good = cms.token("ada", "here", "storage.read:/cms");
        Permit held = ask("192.0.2.1", good);

        Map<String, Object> allowed = access.explain(from, List.of(), good, TO, List.of(1), GuestNames.NONE);
        assertThat(allowed).containsEntry("decision", "allowed").containsEntry("line", 4).containsEntry("identity", cms.name() + "#ada").containsEntry("streams", 1);
        assertThat(access.explain(from, List.of(), null, TO, List.of(1), GuestNames.NONE)).containsEntry("decision", "refused").containsEntry("line", null);
        assertThat(access.explain(from, List.of(), cms.token("ada", "elsewhere", "storage.read:/cms"), TO, List.of(1), GuestNames.NONE)).containsEntry("decision", "refused")
                .extractingByKey("because").asString().startsWith("EE-219");
        held.close();
    }

    /** By seconds of a clock of its own: 1 Mbit/s are 125 packets of 1,000 octets, whoever of the identity's streams sends them. */
    @Test
    void theStreamsOfAnIdentityShareItsRate() throws IOException {
        open("rules:\n  - allow: 192.0.2.0/24\n    rate: 1M\n");
        List<Permit> streams = new ArrayList<>(List.of(ask("192.0.2.1", null), ask("192.0.2.1", null)));
        long now = System.nanoTime();
        int passed = 0;
        for (int millisecond = 0; millisecond < 2000; millisecond++) {
            for (Permit stream : streams) {
                passed += stream.tryPass(1000, now + millisecond * 1_000_000L) ? 1 : 0;
            }
        }
        assertThat(passed).isBetween(249, 258);
        assertThat(ask("192.0.2.2", null).tryPass(1000, now)).isTrue();
        assertThat(ask("192.0.2.3", null).tryPass(60_000, now)).as("one packet passes though it takes half a second").isTrue();
        assertThat(ask("192.0.2.4", null).pass(60_000, now)).isBetween(420_000_000L, 440_000_000L);
    }

    @Test
    void rulesOfTheConfigurationComeAndGoAndStandInAFileForPeople() throws IOException {
        Path shown = directory.resolve("shown.yaml");
        access = new AccessControl(null, Clock.systemUTC());
        access.use(new AccessRules(shown, "rules:\n- allow: 192.0.2.0/24\n  streams: 1\n"));
        ask("192.0.2.1", null);
        assertThatThrownBy(() -> ask("198.51.100.1", null)).hasMessageContaining("EE-216");
        assertThat(Files.readString(shown)).contains("192.0.2.0/24");
        access.use(new AccessRules(shown, "rules:\n- deny: 192.0.2.7\n- allow: anybody\n"));
        assertThatThrownBy(() -> ask("192.0.2.7", null)).hasMessageContaining("line 2");
        ask("198.51.100.1", null);
        assertThat(access.problem()).isNull();
        access.use(null);
        ask("192.0.2.7", null);
        assertThat(access.describe()).isNull();
        assertThatThrownBy(() -> new AccessRules(shown, "rules:\n- allow: anybody\n- deny: anybody\n")).hasMessageStartingWith("EE-501").hasMessageContaining("line 2 decides all of its streams");
    }

    @Test
    void aFileGoesBeforeRulesOfTheConfiguration() throws IOException {
        open("rules:\n  - allow: 192.0.2.0/24\n");
        access.use(new AccessRules(directory.resolve("shown.yaml"), "rules:\n- allow: anybody\n"));
        assertThatThrownBy(() -> ask("198.51.100.1", null)).hasMessageContaining("EE-216");
        access.use(null);
        ask("192.0.2.1", null);
    }

    @Test
    void withoutAFileEverythingIsAllowed() throws IOException {
        access = new AccessControl(null, Clock.systemUTC());
        assertThat(ask("192.0.2.1", "nonsense")).isSameAs(Permit.ALL);
        assertThat(Permit.ALL.isLimiting()).isFalse();
    }
}
