package org.tamanoir.tuf.format;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A file of metadata as it was read. Nobody has looked at its signatures.
 *
 * @param <T> the kind of role
 */
public final class Metadata<T extends Signed> {
    private static final int MOST_SIGNATURES = 256;
    private static final int LONGEST_SIGNATURE = 1_024;

    private final T signed;
    private final Map<String, byte[]> signatures;
    private final byte[] canonical;
    private final byte[] octets;

    private Metadata(T signed, Map<String, byte[]> signatures, byte[] canonical, byte[] octets) {
        this.signed = signed;
        this.signatures = signatures;
        this.canonical = canonical;
        this.octets = octets;
    }

    /** @throws AnepException EE-420 */
    public static Metadata<Root> root(byte[] octets) {
        return read(octets, Bounds.ROOT, Root::read);
    }

    /** @throws AnepException EE-420 */
    public static Metadata<Timestamp> timestamp(byte[] octets) {
        return read(octets, Bounds.TIMESTAMP, Timestamp::read);
    }

    /** @throws AnepException EE-420 */
    public static Metadata<Snapshot> snapshot(byte[] octets) {
        return read(octets, Bounds.SNAPSHOT, Snapshot::read);
    }

    /** @throws AnepException EE-420 */
    public static Metadata<Targets> targets(byte[] octets) {
        return read(octets, Bounds.TARGETS, Targets::read);
    }

    private static <T extends Signed> Metadata<T> read(byte[] octets, int most, Function<Fields, T> read) {
        if (octets.length > most) {
            throw new AnepException(ErrorCode.BAD_METADATA, "metadata of " + octets.length + " octets; " + most + " are allowed");
        }
        Fields document = Fields.of(StrictJson.object(octets), "metadata");
        Fields signed = document.object("signed");
        Map<String, byte[]> signatures = new LinkedHashMap<>();
        for (Fields signature : document.objects("signatures", MOST_SIGNATURES)) {
            String text = signature.text("sig");
            // Empty is what some tools write before a key has signed.
            byte[] made = text.length() > LONGEST_SIGNATURE ? new byte[0] : signature.octets("sig");
            if (signatures.put(signature.text("keyid"), made) != null) {
                throw Fields.bad("a key has two signatures");
            }
        }
        return new Metadata<>(read.apply(signed), Collections.unmodifiableMap(signatures), CanonicalJson.octets(signed.raw()), octets.clone());
    }

    public T signed() {
        return signed;
    }

    /** By the id of the key. */
    public Map<String, byte[]> signatures() {
        return signatures;
    }

    /** What signatures are made over. Not a copy. */
    public byte[] canonical() {
        return canonical;
    }

    /** The file. Not a copy. */
    public byte[] octets() {
        return octets;
    }

    /** {@code version 7 of timestamp}. */
    @Override
    public String toString() {
        return "version " + signed.version() + " of " + signed.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
