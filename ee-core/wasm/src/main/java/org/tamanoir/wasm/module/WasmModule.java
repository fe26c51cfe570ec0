package org.tamanoir.wasm.module;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A module that has been read: everything but its instructions is known to be in order. */
public final class WasmModule {
    /** What the entry of a bundle is called that holds a module. */
    public static final String ENTRY = "module.wasm";

    private final byte[] octets;
    private final String sha256;
    private final Abi abi;
    private final List<Import> imports;
    private final Map<String, Signature> exports;
    private final int functions;
    private final int pages;

    WasmModule(byte[] octets, Abi abi, List<Import> imports, Map<String, Signature> exports, int functions, int pages) {
        this.octets = octets;
        this.sha256 = sha256(octets);
        this.abi = abi;
        this.imports = List.copyOf(imports);
        this.exports = Map.copyOf(exports);
        this.functions = functions;
        this.pages = pages;
    }

    /**
     * Reads a module with the limits for somebody of whom nothing is known.
     *
     * @throws org.tamanoir.anep.AnepException EE-650 if it is none, EE-651 if it is too large, EE-652 if what it imports or exports is in no
     *                                         contract, EE-658 if it uses what the compiler does not take
     */
    public static WasmModule read(byte[] octets) {
        return read(octets, WasmLimits.PRESET);
    }

    /** The same with limits of one's own. */
    public static WasmModule read(byte[] octets, WasmLimits limits) {
        return new ModuleReader(octets.clone(), limits).read();
    }

    /**
     * The octets of the module in a bundle; nothing of them is checked.
     *
     * @param most how many there are of which nobody has to know more: one more is read
     * @return null if the bundle has none
     */
    public static byte[] inBundle(Path jar, int most) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.getEntry(ENTRY);
            return entry == null ? null : zip.getInputStream(entry).readNBytes(most + 1);
        }
    }

    /** The module as it came. Not to be written to. */
    public byte[] octets() {
        return octets;
    }

    /** In hexadecimal digits. */
    public String sha256() {
        return sha256;
    }

    public Abi abi() {
        return abi;
    }

    /** What it wants of the node, in the order of the module. */
    public List<Import> imports() {
        return imports;
    }

    /** Its functions that the node may call. */
    public Map<String, Signature> exports() {
        return exports;
    }

    /** Functions of its own. */
    public int functions() {
        return functions;
    }

    /** Pages of memory with which it begins. */
    public int pages() {
        return pages;
    }

    private static String sha256(byte[] octets) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
