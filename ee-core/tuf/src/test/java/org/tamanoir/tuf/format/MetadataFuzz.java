package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestRepository;

/**
 * Metadata that a coverage-guided fuzzer (Jazzer) makes out of good one. It is refused with EE-420, or it is read; what is read has a canonical form
 * that is read to the same. Without more the good ones themselves are run, and some that are made to hurt; the command in
 * {@code docs/security.md} fuzzes.
 */
class MetadataFuzz {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    static Stream<byte[]> files() {
        TestRepository repository = new TestRepository(NOW);
        repository.delegate(RoleName.TARGETS, "grid", Signers.p256(), "meter/*");
        repository.target("grid", "meter/1.0.0.jar", "one");
        Stream<String> hostile = Stream.of("", "{", "{\"signed\":{},\"signed\":{}}", "{\"signed\":" + "[".repeat(50_000), "{\"signed\":{\"version\":1e999},\"signatures\":[]}",
                "{\"signed\":{\"version\":123456789012345678901234567890},\"signatures\":[]}", "{\"signed\":{\"_type\":\"\\ud800\"},\"signatures\":[]}",
                "{\"signed\":{\"_type\":\"targets\",\"spec_version\":\"1.0\",\"version\":1,\"expires\":\"2030-01-01T00:00:00Z\",\"targets\":{}},\"signatures\":[{\"keyid\":\"a\",\"sig\":\"0\"}]}",
                "{\"signed\":{\"_type\":\"targets\",\"spec_version\":\"1.0\",\"version\":1,\"expires\":\"2030-01-01T00:00:00Z\",\"targets\":{},\"a\":1.5},\"signatures\":[]}");
        return Stream.concat(repository.files().values().stream(), hostile.map(text -> text.getBytes(StandardCharsets.UTF_8)));
    }

    @MethodSource("files")
    @FuzzTest(maxDuration = "")
    void read(byte[] octets) {
        Stream.<Function<byte[], Metadata<?>>>of(Metadata::root, Metadata::timestamp, Metadata::snapshot, Metadata::targets).forEach(kind -> {
            try {
                Metadata<?> metadata = kind.apply(octets);
                assertThat(metadata.signed().version()).isPositive();
                String document = "{\"signed\":" + again(metadata.canonical()) + ",\"signatures\":[]}";
                assertThat(kind.apply(document.getBytes(StandardCharsets.UTF_8)).canonical()).isEqualTo(metadata.canonical());
                if (metadata.signed() instanceof Targets targets) {
                    targets.delegations().forEach(role -> role.covers("meter/1.0.0.jar"));
                }
            } catch (AnepException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.BAD_METADATA);
            }
        });
    }

    /** The canonical form has control characters as they are, which JSON may not. */
    private static String again(byte[] canonical) {
        StringBuilder json = new StringBuilder();
        new String(canonical, StandardCharsets.UTF_8).chars().forEach(unit -> json.append(unit < ' ' ? String.format("\\u%04x", unit) : String.valueOf((char) unit)));
        return json.toString();
    }
}
