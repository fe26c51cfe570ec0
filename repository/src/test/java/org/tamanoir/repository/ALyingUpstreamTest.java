package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.repository.LyingUpstream.resource;
import static org.tamanoir.repository.MirrorTest.soon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mirror whose upstream turns bad keeps what it had, says what is wrong, and takes what is good beside it. */
@Tag("long")
class ALyingUpstreamTest {
    private static final byte[] OLD = Bundles.good("meter", 0x5501, "1.0.0");
    private static final byte[] NEW = Bundles.good("meter", 0x5501, "1.1.0", new byte[3_000]);
    private static final byte[] GOOD = Bundles.good("good", 0x5509, "1.0.0");
    private static final String OLD_RESOURCE = resource("meter", 0x5501, "1.0.0", OLD);
    private static final String NEW_RESOURCE = resource("meter", 0x5501, "1.1.0", NEW);
    private static final String GOOD_RESOURCE = resource("good", 0x5509, "1.0.0", GOOD);

    @TempDir
    private Path directory;
    private LyingUpstream upstream;
    private Repo mirror;

    @BeforeEach
    void startAsFriends() throws IOException {
        upstream = new LyingUpstream();
        upstream.put(OLD);
        upstream.put(GOOD);
        upstream.setIndex(OLD_RESOURCE);
        mirror = new Repo(Repo.settings(directory), MirrorTest.following(upstream.url()));
        soon(() -> assertThat(mirror.services()).hasSize(1));
    }

    @AfterEach
    void whatItHadItHas() throws Exception {
        assertThat(mirror.http.bytes(LyingUpstream.path(OLD), 1 << 20)).isEqualTo(OLD);
        assertThat(mirror.index()).containsKey(mirror.server.url() + LyingUpstream.path(OLD));
        assertThat(mirror.http.json("/services/meter/1.0.0").path("retired").asBoolean(true)).isFalse();
        mirror.close();
        upstream.close();
        assertThat(directory.resolve("incoming")).isEmptyDirectory();
        assertThat(directory.resolve("mirror")).isEmptyDirectory();
    }

    private JsonNode report() {
        return mirror.http.json("/health").path("mirror");
    }

    /** The good one comes although it stands last. */
    private void assertTroubleWith(String list, String code, String resource) throws Exception {
        upstream.setIndex(OLD_RESOURCE, resource, GOOD_RESOURCE);
        soon(() -> {
            assertThat(report().path(list).findValuesAsText("code")).containsExactly(code);
            assertThat(mirror.services().findValuesAsText("name")).containsExactly("good", "meter");
        });
        assertThat(mirror.http.json("/health").path("status").asText()).isEqualTo("degraded");
        assertThat(mirror.index()).hasSize(2);
    }

    @Test
    void aKnownVersionWithOtherContentIsAConflictAndNotEvenAskedFor() throws Exception {
        byte[] other = Bundles.good("meter", 0x5501, "1.0.0", new byte[] {9});
        upstream.put(other);
        assertTroubleWith("conflicts", "EE-404", resource("meter", 0x5501, "1.0.0", other));
        assertThat(upstream.asked(LyingUpstream.path(other))).isZero();
    }

    @Test
    void otherContentThanTheIndexSaysIsRefused() throws Exception {
        byte[] other = NEW.clone();
        other[other.length / 2] ^= 1;
        upstream.set(LyingUpstream.path(NEW), other);
        assertTroubleWith("refused", "EE-303", NEW_RESOURCE);
        assertThat(upstream.asked(LyingUpstream.path(NEW))).isEqualTo(1);
    }

    @Test
    void aBodyWithoutEndIsCutOff() throws Exception {
        upstream.set(LyingUpstream.path(NEW), out -> {
            while (true) {
                out.write(new byte[8192]);
            }
        });
        assertTroubleWith("refused", "EE-405", NEW_RESOURCE);
    }

    @Test
    void aBodyThatIsShorterThanItsSizeIsRefused() throws Exception {
        upstream.set(LyingUpstream.path(NEW), Arrays.copyOf(NEW, NEW.length - 1));
        assertTroubleWith("refused", "EE-303", NEW_RESOURCE);
    }

    @Test
    void aBundleThatIsTooLargeIsNotAskedFor() throws Exception {
        assertTroubleWith("refused", "EE-405", resource("meter", 0x5501, "1.1.0", Repo.sha256(NEW), 100L << 20));
        assertThat(upstream.asked(LyingUpstream.path(NEW))).isZero();
    }

    @Test
    void aBundleUnderAnotherNameIsRefused() throws Exception {
        upstream.put(NEW);
        assertTroubleWith("refused", "EE-303", resource("other", 0x5502, "1.1.0", NEW));
    }

    @Test
    void aTypeIdThatBelongsToAnotherIsRefused() throws Exception {
        byte[] thief = Bundles.good("thief", 0x5501, "1.0.0");
        upstream.put(thief);
        assertTroubleWith("refused", "EE-403", resource("thief", 0x5501, "1.0.0", thief));
    }

    @Test
    void aBundleThatNoNodeCanRunIsRefused() throws Exception {
        byte[] broken = Bundles.jar(Bundles.headers("broken", 0x5502, "1.0.0"), Map.of());
        upstream.put(broken);
        assertTroubleWith("refused", "EE-411", resource("broken", 0x5502, "1.0.0", broken));
    }

    @Test
    void aBundleThatIsNotThereIsLeftOut() throws Exception {
        assertTroubleWith("refused", "EE-407", NEW_RESOURCE);
    }

    private static byte[] many() {
        String[] resources = new String[100_000];
        for (int i = 0; i < resources.length; i++) {
            resources[i] = resource("meter", 0x5501, "2." + i + ".0", String.format("%064x", i), 1);
        }
        return LyingUpstream.index(resources);
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A hundred thousand entries are 50 MB and beyond the limit of octets; with short ones the number itself is. */
    @ParameterizedTest
    @ValueSource(strings = {"100,000 entries", "17,000 entries", "no end", "no XML", "a bomb of entities", "a file of this machine", "a path for a hash",
        "an endless name", "no resources but a promise"})
    void anIndexThatMakesNoSenseChangesNothing(String kind) throws Exception {
        String code = switch (kind) {
            case "100,000 entries" -> {
                upstream.set("/index.xml", many());
                yield "EE-405";
            }
            case "17,000 entries" -> {
                String[] resources = new String[17_000];
                Arrays.setAll(resources, i -> resource("meter", 0x5501, "2." + i + ".0", String.format("%064x", i), 1));
                upstream.setIndex(resources);
                yield "EE-304";
            }
            case "no end" -> {
                upstream.set("/index.xml", out -> {
                    out.write(octets("<repository>"));
                    while (true) {
                        out.write(octets("<resource></resource>".repeat(400)));
                    }
                });
                yield "EE-405";
            }
            case "no XML" -> {
                upstream.set("/index.xml", octets("<html>"));
                yield "EE-304";
            }
            case "a bomb of entities" -> {
                upstream.set("/index.xml", octets("<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>"
                        + "<repository><resource>&b;</resource></repository>"));
                yield "EE-304";
            }
            case "a file of this machine" -> {
                upstream.set("/index.xml", octets("<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/hostname\">]><repository>&a;</repository>"));
                yield "EE-304";
            }
            case "a path for a hash" -> {
                upstream.setIndex(resource("meter", 0x5501, "1.1.0", "../../etc/passwd", 1));
                yield "EE-304";
            }
            case "an endless name" -> {
                upstream.setIndex(resource("m".repeat(1_000_000), 0x5501, "1.1.0", NEW));
                yield "EE-304";
            }
            default -> {
                upstream.set("/index.xml", octets("<repository><resource><capability namespace=\"tamanoir.service\"/>"));
                yield "EE-304";
            }
        };
        soon(() -> assertThat(report().path("problem").asText()).startsWith(code));
        assertThat(report().path("state").asText()).isEqualTo("unreachable");
        assertThat(mirror.services()).hasSize(1);
    }

    @Test
    void anIndexThatHasLostEverythingRetiresNothing() throws Exception {
        int looks = upstream.asked("/index.xml");
        upstream.setIndex();
        soon(() -> assertThat(upstream.asked("/index.xml")).isGreaterThan(looks + 1));
        assertThat(report().path("state").asText()).isEqualTo("current");
    }

    @Test
    void aRetirementThatMakesNoSenseIsNotFollowed() throws Exception {
        String other = "{\"name\":\"meter\",\"typeId\":21761,\"version\":\"1.0.0\",\"sha256\":\"" + "0".repeat(64)
                + "\",\"size\":1,\"retired\":true}";
        upstream.set("/services", octets("{\"services\":[" + other + "]}"));
        upstream.setIndex(GOOD_RESOURCE);
        soon(() -> assertThat(mirror.services()).hasSize(2));
        upstream.set("/services", octets("{\"services\":[{\"retired\":true}]}"));
        soon(() -> assertThat(report().path("problem").asText()).startsWith("EE-304"));
        upstream.set("/services", octets("[".repeat(100_000)));
        soon(() -> assertThat(report().path("problem").asText()).startsWith("EE-302"));
    }
}
