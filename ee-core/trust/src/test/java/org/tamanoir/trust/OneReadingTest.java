package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarInputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;

/** Archives that two readers would read in two ways, and archives that cost more to read than they should, are refused. */
class OneReadingTest {
    private static final int END = 22;

    @TempDir
    private Path directory;
    private Path jar;
    private Trust trust;

    @BeforeEach
    void sign() {
        jar = Jars.signed(directory, "alice");
        trust = Trust.of(Jars.trustFile(directory, "alice"), null);
    }

    private void assertTampered(String message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar)))
                .withMessageContaining("EE-314").withMessageContaining(message);
    }

    private static int find(byte[] octets, String text, boolean last) {
        String all = new String(octets, StandardCharsets.ISO_8859_1);
        return last ? all.lastIndexOf(text) : all.indexOf(text);
    }

    private byte[] octets() throws Exception {
        return Files.readAllBytes(jar);
    }

    @Test
    void refusesANameThatOnlyOneOfTheHeadersHas() throws Exception {
        for (boolean directoryAtTheEnd : new boolean[] {false, true}) {
            byte[] octets = octets();
            octets[find(octets, Jars.HELP, directoryAtTheEnd)] = 'O';
            Path changed = Jars.write(directory.resolve("changed.jar"), octets);
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(changed, "")).withMessageContaining("rg/example/help.txt");
        }
    }

    @Test
    void refusesANameThatStandsThereTwice() throws Exception {
        Jars.edit(jar, entries -> entries.put("org/example/HELP.txt", Jars.text("other help")));
        byte[] octets = octets();
        for (int at = find(octets, "HELP.txt", false); at >= 0; at = find(octets, "HELP.txt", false)) {
            System.arraycopy(Jars.text("help.txt"), 0, octets, at, 8);
        }
        Jars.write(jar, octets);
        assertTampered("twice");
    }

    @Test
    void refusesAnEntryThatOnlyAReaderFromTheFrontSees() throws Exception {
        Jars.edit(jar, entries -> entries.put("org/example/Hidden.class", Jars.text("hidden")));
        byte[] octets = octets();
        // The last record of the directory is cut out.
        int record = find(octets, "PK\1\2", true);
        ByteBuffer end = ByteBuffer.wrap(octets, octets.length - END, END).slice().order(ByteOrder.LITTLE_ENDIAN);
        int removed = octets.length - END - record;
        end.putShort(8, (short) (end.getShort(8) - 1)).putShort(10, (short) (end.getShort(10) - 1)).putInt(12, end.getInt(12) - removed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(octets, 0, record);
        out.write(octets, octets.length - END, END);
        Jars.write(jar, out.toByteArray());

        assertThat(Jars.read(jar)).doesNotContainKey("org/example/Hidden.class");
        assertThat(namesFromTheFront()).containsKey("org/example/Hidden.class");
        assertTampered("between its last entry and its directory");
    }

    private Map<String, Long> namesFromTheFront() throws Exception {
        Map<String, Long> names = new HashMap<>();
        try (JarInputStream in = new JarInputStream(Files.newInputStream(jar), false)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                names.put(entry.getName(), entry.getSize());
            }
        }
        return names;
    }

    @Test
    void refusesAnythingBeforeAndAfterTheArchive() throws Exception {
        byte[] octets = octets();
        ByteArrayOutputStream before = new ByteArrayOutputStream();
        before.write(Jars.text("#!/bin/sh\n"));
        before.write(octets);
        Jars.write(jar, before.toByteArray());
        assertThat(Jars.read(jar)).containsKey(Jars.CODE);
        assertTampered("not where it should be");

        Jars.write(jar, Arrays.copyOf(octets, octets.length + 10));
        assertTampered("does not end");
        // The same as a comment, which any reader takes for one.
        byte[] comment = Arrays.copyOf(octets, octets.length + 10);
        comment[octets.length - 2] = 10;
        Jars.write(jar, comment);
        assertThat(Jars.read(jar)).containsKey(Jars.CODE);
        assertTampered("does not end");
    }

    @Test
    void refusesABombBeforeItGoesOff() throws Exception {
        byte[] zeros = new byte[100 << 20];
        Jars.edit(jar, entries -> entries.put("zeros", zeros));
        assertTampered("expands to far more");
    }

    @Test
    void refusesAManifestOfTenMegabytes() {
        jar = Jars.unsigned(directory);
        Jars.edit(jar, entries -> entries.put(Jars.MANIFEST, new byte[10 << 20]));
        Jars.edit(jar, entries -> entries.putAll(Map.of("META-INF/X.SF", new byte[0], "META-INF/X.EC", new byte[0])));
        assertTampered("META-INF/MANIFEST.MF is longer");
    }

    @Test
    void refusesAHeaderThatWouldTakeMinutesToRead() {
        String header = "X-Long: x\r\n" + (" " + "x".repeat(2) + "\r\n").repeat(380_000);
        Jars.edit(jar, entries -> entries.put(Jars.MANIFEST, Jars.replace(entries.get(Jars.MANIFEST), "Bundle-Version", header + "Bundle-Version")));
        long start = System.nanoTime();
        assertTampered("header that is longer");
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
    }

    @Test
    void refusesAHeaderThatStandsTwiceBeforeTheJdkFillsTheLogWithIt() {
        Jars.edit(jar, entries -> entries.put(Jars.MANIFEST, Jars.replace(entries.get(Jars.MANIFEST), "Bundle-Version",
                "X: y\nx: Y\nBundle-Version")));
        assertTampered("header x twice");
        Jars.signed(directory, "alice");
        Jars.edit(jar, entries -> entries.put(Jars.MANIFEST, Jars.replace(entries.get(Jars.MANIFEST), "Name: " + Jars.HELP,
                "Name: " + Jars.CODE)));
        assertTampered("two sections for one entry, " + Jars.CODE);
    }

    /** The JDK 17 parses the indefinite form level by level on its own stack. */
    @ParameterizedTest
    @ValueSource(ints = {0x80, 0x82})
    void refusesASignatureBlockThatIsNestedWithoutEnd(int length) {
        byte[] block = new byte[30_000];
        for (int i = 0; i + 4 <= block.length; i += length == 0x80 ? 2 : 4) {
            block[i] = 0x30;
            block[i + 1] = (byte) length;
            block[i + 2] = (byte) (block.length - i - 4 >> 8);
            block[i + 3] = (byte) (block.length - i - 4);
        }
        Jars.edit(jar, entries -> entries.put("META-INF/TAMANOIR.EC", block));
        assertTampered("no DER");
    }

    @Test
    void refusesMoreSignaturesThanABundleHas() {
        Jars.edit(jar, entries -> {
            for (int i = 0; i < 5; i++) {
                entries.put("META-INF/S" + i + ".SF", new byte[0]);
                entries.put("META-INF/S" + i + ".EC", new byte[0]);
            }
        });
        assertTampered("more than 4 signatures");
    }

    @Test
    void refusesTooManyEntries() {
        Jars.edit(jar, entries -> {
            for (int i = 0; i < 20_001; i++) {
                entries.put("e" + i, new byte[0]);
            }
        });
        assertTampered("entries");
    }

    @Test
    void takesADirectoryOfAnEntry() {
        // What our own signing puts into every bundle; without this the tests above would pass with a check that refuses all of them.
        assertThat(Jars.read(jar)).containsKey("org/example/");
        assertThat(trust.check(jar, Jars.sha256(jar))).isNotNull();
    }
}
