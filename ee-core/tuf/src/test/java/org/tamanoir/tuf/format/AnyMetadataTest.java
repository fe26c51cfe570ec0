package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestRepository;

/** Whatever octets come, they are read or refused with EE-420, in little time and memory; a change of what is signed is never overlooked. */
class AnyMetadataTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final List<Function<byte[], Metadata<?>>> KINDS = List.of(Metadata::root, Metadata::timestamp, Metadata::snapshot, Metadata::targets);
    private static final String[] PIECES = {"{", "}", "[", "]", ",", ":", "\"", "null", "true", "-1", "0", "1e9", "99999999999999999999", "\\ud800", "\"a\":1,\"a\":2", "\"signed\":", "\"roles\":",
        "\"keys\":", "\"meta\":", "\"targets\":", "\"hashes\":{}", "\"threshold\":", "\u0000", "é"};

    private final TestRepository repository = new TestRepository(NOW);
    private final List<byte[]> good = new ArrayList<>();

    AnyMetadataTest() {
        repository.delegate(RoleName.TARGETS, "grid", Signers.p256(), "meter/*");
        repository.target("grid", "meter/1.0.0.jar", "one");
        good.addAll(repository.files().values());
    }

    @Property(tries = 300)
    void isReadOrRefused(@ForAll byte[] octets) {
        read(octets);
    }

    @Property(tries = 1_500)
    void isReadOrRefusedHoweverGoodMetadataIsChanged(@ForAll long seed) {
        Random random = new Random(seed);
        String text = new String(good.get(random.nextInt(good.size())), StandardCharsets.UTF_8);
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int from = random.nextInt(text.length());
            int to = Math.min(text.length(), from + random.nextInt(10));
            text = text.substring(0, from) + PIECES[random.nextInt(PIECES.length)] + text.substring(to);
        }
        read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void read(byte[] octets) {
        for (Function<byte[], Metadata<?>> kind : KINDS) {
            try {
                assertThat(kind.apply(octets).octets()).isEqualTo(octets);
            } catch (AnepException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.BAD_METADATA);
            }
        }
    }

    /** Every octet of a small file, every bit of it: what is still read and still signed says the same. */
    @Property(tries = 1)
    void aFlippedBitIsFoundOrChangesNothingThatIsSigned() {
        byte[] octets = repository.files().get("timestamp.json");
        Metadata<Timestamp> before = Metadata.timestamp(octets);
        RoleKeys keys = new RoleKeys(List.of(repository.signers(RoleName.TIMESTAMP).get(0).key()), 1);
        int same = 0;
        for (int bit = 0; bit < octets.length * 8; bit++) {
            byte[] flipped = octets.clone();
            flipped[bit / 8] ^= 1 << bit % 8;
            try {
                Metadata<Timestamp> after = Metadata.timestamp(flipped);
                if (keys.signers(after) == 1) {
                    assertThat(after.signed()).isEqualTo(before.signed());
                    same++;
                }
            } catch (AnepException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.BAD_METADATA);
            }
        }
        // White space, and the case of hexadecimal digits of the signature.
        assertThat(same).isLessThan(octets.length);
    }
}
