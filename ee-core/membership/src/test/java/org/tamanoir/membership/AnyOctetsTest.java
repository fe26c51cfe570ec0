package org.tamanoir.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Whatever arrives is a message or refused with its code and one short line; what was read is written and read again as it was. */
class AnyOctetsTest {
    private static final List<byte[]> GOOD = List.of(Vectors.octets("report.json"), Vectors.octets("report-of-a-newer-node.json"),
            Vectors.octets("welcome.json"));
    private static final String[] PIECES = {"null", "-1", "1e999", "\"\\u0000\"", "{", "}", "[", "]", "\"", ",", ":", "\"x\"", "true",
        "99999999999999999999", "\u00ff", "\n"};

    @Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
    void anyOctets(@ForAll byte[] octets) {
        check(octets);
    }

    @Property(tries = 4_000, shrinking = ShrinkingMode.OFF)
    void aMessageThatWasDamaged(@ForAll("damaged") byte[] octets) {
        check(octets);
    }

    @Provide
    Arbitrary<byte[]> damaged() {
        Arbitrary<String> piece = Arbitraries.of(PIECES);
        return Combinators.combine(Arbitraries.of(GOOD), Arbitraries.integers().between(0, 1 << 20), Arbitraries.integers().between(0, 12), piece)
                .as((good, place, length, insert) -> {
                    String text = new String(good, StandardCharsets.UTF_8);
                    int from = place % text.length();
                    return (text.substring(0, from) + insert + text.substring(Math.min(text.length(), from + length)))
                            .getBytes(StandardCharsets.UTF_8);
                });
    }

    private static void check(byte[] octets) {
        Report report = read(octets, ErrorCode.BAD_REPORT, each -> ReportReader.read(each, false));
        if (report != null) {
            assertThat(ReportReader.read(MessageWriter.write(report), false)).isEqualTo(report);
        }
        Welcome welcome = read(octets, ErrorCode.NO_FRONTEND, WelcomeReader::read);
        if (welcome != null) {
            assertThat(WelcomeReader.read(MessageWriter.write(welcome))).isEqualTo(welcome);
        }
    }

    private static <T> T read(byte[] octets, ErrorCode code, Function<byte[], T> reader) {
        byte[] before = octets.clone();
        try {
            return reader.apply(octets);
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.getMessage()).hasSizeLessThan(400).matches(text -> text.chars().noneMatch(Character::isISOControl), "has no control character");
            return null;
        } finally {
            assertThat(Arrays.equals(octets, before)).isTrue();
        }
    }
}
