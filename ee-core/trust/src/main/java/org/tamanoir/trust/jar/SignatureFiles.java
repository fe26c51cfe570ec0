package org.tamanoir.trust.jar;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarFile;

/**
 * The files by which a jar is signed, which nobody signs: the manifest, and for each signature a signature file ({@code .SF}) and a
 * signature block ({@code .RSA}, {@code .EC}) of the same name.
 *
 * <p>Source: JAR File Specification, "Signed JAR File".
 */
final class SignatureFiles {
    private static final String META = "META-INF/";
    private static final List<String> BLOCKS = List.of(".RSA", ".EC", ".DSA");

    /**
     * One signature.
     *
     * @param file  the name of the signature file
     * @param text  its content
     * @param block the content of the signature block
     */
    record Signature(String file, byte[] text, byte[] block) {
    }

    private SignatureFiles() {
    }

    /** How long the content of an entry may be that has to do with signatures; 0 for all others. */
    static int limit(String name) {
        if (!isSigning(name)) {
            return 0;
        }
        return name.equals(JarFile.MANIFEST_NAME) || name.endsWith(".SF") ? Limits.MANIFEST : Limits.BLOCK;
    }

    /** Whether the JDK takes the entry for one that has to do with signatures and need not be signed itself. */
    static boolean isSigning(String name) {
        String upper = name.toUpperCase(Locale.ENGLISH);
        return upper.startsWith(META) && upper.indexOf('/', META.length()) < 0 && (upper.equals(JarFile.MANIFEST_NAME)
                || upper.endsWith(".SF") || BLOCKS.stream().anyMatch(upper::endsWith) || upper.startsWith(META + "SIG-"));
    }

    /** Refuses to hold more of them than a bundle can have. */
    static void checkNumber(int files) {
        if (files > 1 + 2 * Limits.SIGNATURES) {
            throw Refusal.because("it has more than " + Limits.SIGNATURES + " signatures");
        }
    }

    /**
     * Puts the files together.
     *
     * @param signing of an archive, by name
     * @return none if it is not signed
     */
    static List<Signature> signatures(Map<String, byte[]> signing) {
        List<Signature> signatures = new ArrayList<>();
        TreeSet<String> left = new TreeSet<>(signing.keySet());
        left.remove(JarFile.MANIFEST_NAME);
        for (String file : signing.keySet()) {
            if (file.endsWith(".SF")) {
                String base = file.substring(0, file.length() - 3);
                List<String> blocks = BLOCKS.stream().map(base::concat).filter(signing::containsKey).toList();
                if (blocks.size() != 1) {
                    throw Refusal.because("the signature file " + Refusal.quote(file) + " has " + blocks.size() + " signature blocks");
                }
                left.remove(file);
                left.remove(blocks.get(0));
                signatures.add(new Signature(file, signing.get(file), signing.get(blocks.get(0))));
            }
        }
        if (!left.isEmpty()) {
            throw Refusal.because(Refusal.quote(left.first()) + " belongs to no signature");
        }
        return signatures;
    }
}
