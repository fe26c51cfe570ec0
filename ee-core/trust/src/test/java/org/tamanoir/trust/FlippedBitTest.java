package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One bit of a signed bundle is another: the bundle is refused, or the bit makes no difference to what is loaded. */
class FlippedBitTest {
    private static final Map<String, byte[]> SIGNED = new ConcurrentHashMap<>();
    private static Path directory;
    private static Trust trust;

    @BeforeContainer
    static void sign() throws IOException {
        directory = Files.createTempDirectory("flipped");
        trust = Trust.of(Jars.trustFile(directory, "alice", "bob"), null);
        for (String name : new String[] {"alice", "bob"}) {
            SIGNED.put(name, Files.readAllBytes(Jars.signed(directory, name)));
        }
    }

    @AfterContainer
    static void remove() throws IOException {
        for (String file : directory.toFile().list()) {
            Files.delete(directory.resolve(file));
        }
        Files.delete(directory);
    }

    @Property(tries = 1_500)
    void isRefusedOrMakesNoDifference(@ForAll boolean byAlice, @ForAll @DoubleRange(max = 1, maxIncluded = false) double place) {
        byte[] octets = SIGNED.get(byAlice ? "alice" : "bob");
        check(octets, (int) (place * octets.length * 8));
    }

    /** @return whether it was refused */
    static boolean check(byte[] signed, int bit) {
        Path whole = Jars.write(directory.resolve("whole.jar"), signed);
        byte[] octets = signed.clone();
        octets[bit / 8] ^= (byte) (1 << bit % 8);
        Path flipped = Jars.write(directory.resolve("flipped.jar"), octets);
        Publisher publisher;
        try {
            publisher = trust.check(flipped, Jars.sha256(octets));
        } catch (AnepException e) {
            assertThat(e.code()).as("bit %d: %s", bit, e.getMessage()).isIn(ErrorCode.TAMPERED, ErrorCode.UNKNOWN_PUBLISHER,
                    ErrorCode.CERTIFICATE_EXPIRED, ErrorCode.UNSIGNED);
            return true;
        }
        assertThat(publisher).as("bit %d", bit).isEqualTo(trust.check(whole, Jars.sha256(signed)));
        assertThat(loaded(flipped)).as("bit %d", bit).isEqualTo(loaded(whole));
        return false;
    }

    /** What a framework finds in the bundle. */
    private static Map<String, String> loaded(Path jar) {
        Map<String, String> loaded = new TreeMap<>();
        Jars.read(jar).forEach((name, content) -> loaded.put(name, Jars.sha256(content)));
        return loaded;
    }
}
