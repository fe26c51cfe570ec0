package org.tamanoir.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A rule is for a guest's service only if it names it. */
class GuestServicesAreNamedTest {
    private static final InetSocketAddress TO = new InetSocketAddress("10.2.0.1", 5000);
    private static final int MONITORING = 0x5402;
    private static final int CMS = 0x5801;
    private static final int ATLAS = 0x5802;
    private static final Map<Integer, String> NAMES = Map.of(CMS, "~cms/filter", ATLAS, "~atlas/filter");

    @TempDir
    private Path directory;
    private AccessControl access;
    private final List<Integer> asked = new ArrayList<>();

    @AfterEach
    void close() {
        access.close();
    }

    private void open(String rules) throws IOException {
        access = new AccessControl(Files.writeString(directory.resolve("access.yaml"), "rules:\n" + rules), Clock.systemUTC());
    }

    private CompletableFuture<String> name(int typeId) {
        asked.add(typeId);
        return NAMES.containsKey(typeId) ? CompletableFuture.completedFuture(NAMES.get(typeId))
                : CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "nobody has it"));
    }

    private Permit ask(String from, Integer... services) throws IOException {
        return access.ask(InetAddress.getByName(from), List.of(), null, TO, List.of(services), this::name).join();
    }

    private void assertRefused(String from, Integer... services) {
        assertThatThrownBy(() -> ask(from, services)).hasMessageContaining("EE-216");
    }

    @Test
    void aRuleThatSaysNoServicesIsForAllButGuests() throws IOException {
        open("  - allow: anybody\n");
        ask("192.0.2.1", MONITORING);
        assertThatThrownBy(() -> ask("192.0.2.1", MONITORING, CMS)).hasMessageContaining("EE-216").hasMessageContaining("is a guest's service, which only rules are for that name it");
        assertThat(asked).as("no name makes a difference").isEmpty();
    }

    @Test
    void aRuleWithOrdinaryNamesIsForNoGuest() throws IOException {
        open("  - allow: anybody\n    services: [monitoring, compression]\n");
        ask("192.0.2.1", MONITORING);
        assertRefused("192.0.2.1", CMS);
        assertThat(asked).isEmpty();
    }

    @Test
    void oneOrAllOfAGuestsOrAllGuestsAreNamed() throws IOException {
        open("  - allow: 192.0.2.1\n    services: ['~cms/filter', monitoring]\n  - allow: 192.0.2.2\n    services: '~atlas/*'\n  - allow: 192.0.2.3\n    services: '~*'\n");
        assertThat(ask("192.0.2.1", CMS, MONITORING).because()).contains("line 2");
        assertRefused("192.0.2.1", CMS, ATLAS);
        ask("192.0.2.2", ATLAS);
        assertRefused("192.0.2.2", CMS);
        assertRefused("192.0.2.2", ATLAS, MONITORING);
        asked.clear();
        ask("192.0.2.3", CMS, ATLAS);
        assertRefused("192.0.2.3", MONITORING);
        assertThat(asked).as("no name makes a difference").isEmpty();
    }

    @Test
    void nobodyCausesALookForNamesWhomNoRuleMeans() throws IOException {
        open("  - allow: 192.0.2.1\n    services: '~cms/*'\n");
        assertRefused("198.51.100.1", CMS);
        assertThat(asked).isEmpty();
        assertThatThrownBy(() -> ask("192.0.2.1", 0x5FFF)).hasMessageContaining("EE-301");
        assertThat(asked).containsExactly(0x5FFF);
    }

    @Test
    void aRefusalOfAllIsForGuestsToo() throws IOException {
        open("  - deny: 192.0.2.1\n  - deny: anybody\n    services: '~atlas/*'\n  - allow: anybody\n    services: '~*'\n");
        assertThatThrownBy(() -> ask("192.0.2.1", CMS)).hasMessageContaining("line 2");
        ask("192.0.2.2", CMS);
        assertThatThrownBy(() -> ask("192.0.2.2", ATLAS)).hasMessageContaining("line 3");
        assertThatThrownBy(() -> ask("192.0.2.2", CMS, ATLAS)).hasMessageContaining("line 3");
    }

    @Test
    void aPermitIsForTheServiceThatComesNotForTheOneThatWasAnnounced() throws IOException {
        open("  - allow: anybody\n    services: ['~cms/*', monitoring]\n");
        Permit permit = ask("192.0.2.1", CMS);
        assertThat(permit.covers(CMS, "~cms/filter")).isTrue();
        assertThat(permit.covers(CMS, "~atlas/filter")).isFalse();
        assertThat(permit.covers(MONITORING, "monitoring")).isTrue();
        assertThat(Permit.ALL.covers(CMS, "~atlas/filter")).isTrue();
    }

    @Test
    void aServiceOfAGuestIsNotNamedByItsNumber() {
        assertThatThrownBy(() -> open("  - allow: anybody\n    services: 0x5801\n")).hasMessageContaining("EE-501").hasMessageContaining("does not say whose");
        assertThatThrownBy(() -> open("  - allow: anybody\n    services: '~cms'\n")).hasMessageContaining("EE-501").hasMessageContaining("~LABEL/NAME");
        access = new AccessControl(null, Clock.systemUTC());
        assertThat(access.isOpen()).isTrue();
    }

    @Test
    void itIsExplained() throws IOException {
        open("  - allow: 192.0.2.1\n    services: '~cms/*'\n  - allow: anybody\n");
        InetAddress other = InetAddress.getByName("192.0.2.2");
        assertThat(access.explain(InetAddress.getByName("192.0.2.1"), List.of(), null, TO, List.of(CMS), this::name)).containsEntry("decision", "allowed").containsEntry("line", 2);
        assertThat(access.explain(other, List.of(), null, TO, List.of(CMS), this::name)).containsEntry("decision", "refused").extractingByKey("because").asString()
                .contains("0x5801 is a guest's service");
        assertThat(access.explain(other, List.of(), null, TO, List.of(MONITORING), this::name)).containsEntry("decision", "allowed").containsEntry("line", 4);
    }
}
