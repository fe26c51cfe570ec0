package org.tamanoir.repository.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What a guest has is counted from the catalogue, and nobody else is counted. */
class GuestQuotasTest {
    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    private static final GuestQuotas SMALL = new GuestQuotas(2, 2, 5L * GuestQuotas.LEAST_OCTETS, 4);

    private static Entry entry(String name, int typeId, String version, long size) {
        BigInteger content = new BigInteger(1, (name + version).getBytes(StandardCharsets.US_ASCII));
        return new Entry(name, typeId, version, "heavy", String.format("%064x", content).substring(0, 64), size, "2026-06-01T10:00:00Z", false, "CN=cms", "00");
    }

    private static Catalogue published(Catalogue before, Entry... entries) {
        Catalogue after = before;
        for (Entry entry : entries) {
            after = after.publish(entry);
        }
        return after;
    }

    private static void assertFull(Catalogue before, Entry entry, Instant now, String... message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> SMALL.check(before, entry, now)).withMessageContainingAll(message)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_QUOTA));
    }

    private static void assertTaken(Catalogue before, Entry entry) {
        assertThatCode(() -> SMALL.check(before, entry, NOON)).doesNotThrowAnyException();
    }

    @Test
    void countsNames() {
        Catalogue two = published(Catalogue.EMPTY, entry("~cms/a", 0x5801, "1.0.0", 1), entry("~cms/b", 0x5802, "1.0.0", 1));
        assertFull(two, entry("~cms/c", 0x5803, "1.0.0", 1), NOON, "2 services", "~cms/a, ~cms/b");
        assertTaken(two, entry("~cms/b", 0x5802, "1.1.0", 1));
        // A label that only begins alike is another guest's.
        assertTaken(two, entry("~cms2/c", 0x5803, "1.0.0", 1));
        assertTaken(two, entry("~cm/c", 0x5803, "1.0.0", 1));
        assertTaken(two, entry("cms", 0x5503, "1.0.0", 1));
        // A retired service keeps its name.
        assertFull(two.retire("~cms/a", "1.0.0"), entry("~cms/c", 0x5803, "1.0.0", 1), NOON, "never given back");
    }

    @Test
    void countsVersionsThatAreNotRetiredAndSaysWhichToRetire() {
        Catalogue two = published(Catalogue.EMPTY, entry("~cms/a", 0x5801, "1.0.0", 1), entry("~cms/a", 0x5801, "1.10.0", 1));
        Entry third = entry("~cms/a", 0x5801, "1.2.0", 1);
        assertFull(two, third, NOON, "2 versions", "service retire '~cms/a' 1.0.0");
        Catalogue retired = two.retire("~cms/a", "1.0.0");
        assertTaken(retired, third);
        // What is retired does not come back beyond the quota.
        assertFull(retired.publish(third), entry("~cms/a", 0x5801, "1.0.0", 1), NOON, "2 versions");
        // What is there already is no more.
        assertTaken(two, entry("~cms/a", 0x5801, "1.0.0", 1));
    }

    @Test
    void countsOctetsOfRetiredVersionsTooAndEachAsALeast() {
        long least = GuestQuotas.LEAST_OCTETS;
        Catalogue three = published(Catalogue.EMPTY, entry("~cms/a", 0x5801, "1.0.0", 1), entry("~cms/b", 0x5802, "1.0.0", 3 * least)).retire("~cms/b", "1.0.0");
        assertTaken(three, entry("~cms/a", 0x5801, "1.1.0", least));
        assertFull(three, entry("~cms/a", 0x5801, "1.1.0", least + 1), NOON, 4 * least + " octets", "counts " + (least + 1), "retired versions keep");
        assertFull(three, entry("~cms/a", 0x5801, "1.1.0", Long.MAX_VALUE), NOON, "octets");
    }

    @Test
    void countsUploadsOfAnHour() {
        Instant ten = Instant.parse("2026-06-01T10:00:00Z");
        Catalogue all = published(Catalogue.EMPTY, entry("~cms/a", 0x5801, "1.0.0", 1), entry("~cms/a", 0x5801, "1.1.0", 1), entry("~cms/b", 0x5802, "1.0.0", 1),
                entry("~cms/b", 0x5802, "1.1.0", 1)).retire("~cms/a", "1.0.0");
        assertFull(all, entry("~cms/a", 0x5801, "1.2.0", 1), ten.plusSeconds(3599), "4 uploads", "later");
        assertTaken(all, entry("~cms/a", 0x5801, "1.2.0", 1));
    }

    @Test
    void tellsWhatEachGuestHas() {
        Catalogue some = published(Catalogue.EMPTY, entry("~cms/a", 0x5801, "1.0.0", 1), entry("~cms/b", 0x5802, "1.0.0", 1), entry("~cms/b", 0x5802, "1.1.0", 100_000),
                entry("meter", 0x5501, "1.0.0", 1)).retire("~cms/b", "1.0.0");
        assertThat(GuestQuotas.uses(some, Instant.parse("2026-06-01T10:30:00Z"))).containsExactly(new GuestQuotas.Use("cms", "CN=cms", 2, 1, 2L * GuestQuotas.LEAST_OCTETS + 100_000, 3));
        assertThat(GuestQuotas.uses(some, NOON).get(0).uploads()).isZero();
    }

    @Test
    void givesALabelToThePublisherOfTheFirstName() {
        Catalogue one = Catalogue.EMPTY.publish(entry("~cms/a", 0x5801, "1.0.0", 1));
        Entry others = new Entry("~cms/b", 0x5802, "1.0.0", "heavy", "0".repeat(64), 1, "2026-06-01T10:00:00Z", false, "CN=CMS,O=Other", "01");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> one.publish(others)).withMessageContainingAll("~cms/", "CN=cms", "CN=CMS,O=Other")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TYPE_ID_TAKEN));
    }
}
