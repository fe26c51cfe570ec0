package org.tamanoir.client.multicast.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileName;
import org.tamanoir.client.multicast.file.Manifest.Entry;

/** What a peer may call its files. */
class ManifestTest {
    /** Whatever is accepted stays inside, with nothing between that could lead out of it. */
    @Property(tries = 2000)
    void aNameThatIsAcceptedIsAFileInsideTheDirectory(@ForAll("names") String name) {
        Path directory = Path.of("/some/directory");
        if (FileName.fault(name) == null) {
            Path file = directory.resolve(name);
            assertThat(file.normalize()).isEqualTo(file).startsWithRaw(directory).isNotEqualTo(directory);
            assertThat(file.getName(2).toString()).doesNotStartWith(".tamanoir-");
        } else {
            assertThatThrownBy(() -> new Manifest(List.of(new Entry(name, 1)))).isInstanceOfSatisfying(AnepException.class,
                    refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
        }
    }

    @Provide
    Arbitrary<String> names() {
        Arbitrary<String> parts = Arbitraries.of("..", ".", "", "a", "b", "~", "\u0000", "\n", "\u001b[2J", "C:", "\\", ".tamanoir-1", "...",
                " ", "\ud800", "etc", "passwd");
        return parts.list().ofMinSize(1).ofMaxSize(5).map(list -> String.join("/", list));
    }

    @Example
    void theNamesThatWouldWriteElsewhereAreRefused() {
        for (String name : List.of("", "/etc/passwd", "../x", "a/../../x", "a/..", "..", ".", "a//b", "a/", "a/./b", "a\u0000b", "a\nb",
                ".tamanoir-0123456789abcdef/packets", "x".repeat(256), ("x".repeat(200) + "/").repeat(6) + "x")) {
            assertThat(FileName.fault(name)).as(name).isNotNull();
        }
        for (String name : List.of("a", "a/b/c", "..a", "a..", ".hidden", "ü ß.txt", "x".repeat(255))) {
            assertThat(FileName.fault(name)).as(name).isNull();
        }
    }

    @Example
    void namesThatStandTwiceOrAreFileAndFolderAreRefused() {
        assertRefused(List.of(new Entry("a", 1), new Entry("a", 2)), "stands twice");
        assertRefused(List.of(new Entry("a/b", 1), new Entry("a", 2)), "a file and a folder");
        assertRefused(List.of(new Entry("a", -1)), "size");
        assertRefused(List.of(new Entry("a", Long.MAX_VALUE), new Entry("b", Long.MAX_VALUE)), "size");
        assertRefused(List.of(), "0 files");
        assertRefused(Collections.singletonList(null), "none");
        assertRefused(IntStream.rangeClosed(0, Manifest.MOST_FILES).mapToObj(i -> new Entry("f" + i, 1)).toList(), "10001 files");
    }

    private static void assertRefused(List<Entry> files, String why) {
        assertThatThrownBy(() -> new Manifest(files)).hasMessageStartingWith("EE-108 ").hasMessageContaining(why);
    }

    @Property(tries = 300)
    void whatWasWrittenIsRead(@ForAll("manifests") Manifest manifest) {
        byte[] octets = manifest.encode();
        assertThat(Manifest.length(ByteBuffer.wrap(octets).getInt())).isEqualTo(octets.length - Manifest.LENGTH_SIZE);
        assertThat(Manifest.decode(Arrays.copyOfRange(octets, Manifest.LENGTH_SIZE, octets.length))).isEqualTo(manifest);
    }

    @Provide
    Arbitrary<Manifest> manifests() {
        Arbitrary<String> names = Arbitraries.strings().withCharRange('a', 'z').withChars("ü\"\\ {").ofMinLength(1).ofMaxLength(20);
        return names.list().uniqueElements().ofMinSize(1).ofMaxSize(30).map(list -> {
            List<Entry> files = new ArrayList<>();
            list.forEach(name -> files.add(name.length() % 2 == 0 ? new Entry(name, name.hashCode() & Integer.MAX_VALUE)
                    : new Entry(name, name.length(), name.hashCode() & 0777, (long) name.hashCode())));
            return new Manifest(files);
        });
    }

    /** The list of files on the wire: with permissions and time, as older sources write it, and as later ones may. */
    @Example
    void theListOfFilesHasTheseOctets() {
        Entry plain = new Entry("b", 3);
        Entry whole = new Entry("a/b", 12, 0755, 1_700_000_000_123_456_789L);
        assertThat(new String(new Manifest(List.of(whole, plain)).encode(), StandardCharsets.UTF_8)).isEqualTo("\0\0\0d{\"files\":["
                + "{\"name\":\"a/b\",\"size\":12,\"mode\":493,\"modified\":1700000000123456789},{\"name\":\"b\",\"size\":3}]}");
        assertThat(decoded("{\"files\":[{\"name\":\"b\",\"size\":3}]}")).isEqualTo(new Manifest(List.of(plain)));
        assertThat(decoded("{\"files\":[{\"name\":\"b\",\"size\":3,\"mode\":null,\"later\":[1]}],\"more\":{}}")).isEqualTo(new Manifest(List.of(plain)));
    }

    private static Manifest decoded(String json) {
        return Manifest.decode(json.getBytes(StandardCharsets.UTF_8));
    }

    @Example
    void whatIsNoListOfFilesIsRefusedWithACode() {
        for (String json : List.of("", "null", "[]", "{}", "{\"files\":null}", "{\"files\":[null]}", "{\"files\":[{\"name\":\"a\"}]}x",
                "{\"files\":[{\"name\":null,\"size\":1}]}", "{\"files\":[{\"name\":\"a\",\"size\":1.5}]}", "{\"files\":[{\"name\":\"a\",\"size\":\"1\"}]}",
                "{\"files\":[{\"name\":\"a\",\"size\":1,\"size\":2}]}", "{\"files\":[{\"name\":\"a\",\"size\":1,\"mode\":\"0755\"}]}",
                "{\"files\":[{\"name\":\"a\",\"size\":1,\"modified\":99999999999999999999}]}", "{\"files\":[{\"name\":\"a\",\"size\":null}]}",
                "{\"files\":[{\"name\":\"../a\",\"size\":1}]}", "[".repeat(5000), "{\"files\":[{\"name\":\"a\",\"size\":99999999999999999999}]}")) {
            assertThatThrownBy(() -> Manifest.decode(json.getBytes(StandardCharsets.UTF_8))).as(json)
                    .isInstanceOfSatisfying(AnepException.class, refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE))
                    .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
        }
        for (int length : new int[] {0, -1, Manifest.MOST_OCTETS + 1}) {
            assertThatThrownBy(() -> Manifest.length(length)).hasMessageStartingWith("EE-108 ");
        }
    }

    @Example
    void aLinkThatLeadsOutOfTheDirectoryIsNotFollowed() throws Exception {
        Path top = Files.createTempDirectory("manifest-test");
        Path directory = Files.createDirectory(top.resolve("out"));
        Files.createDirectory(top.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), top.resolve("elsewhere"));
        try {
            assertThatThrownBy(() -> FileName.inside(directory, "link/a")).hasMessageStartingWith("EE-409 ");
            assertThat(FileName.inside(directory, "new/a")).isEqualTo(directory.resolve("new/a"));
        } finally {
            for (Path path : List.of(link, directory, top.resolve("elsewhere"), top)) {
                Files.delete(path);
            }
        }
    }
}
