package org.tamanoir.kernel;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Loads {@code libtamanoir_kernel.so} once in the life of the JVM: from the jar, by way of a private file that is gone when it is loaded, or
 * from the file that the system property {@value #FILE} names.
 */
final class KernelLibrary {
    /** For packagers, and for tests of bad libraries. */
    static final String FILE = "tamanoir.kernel.library";

    /** {@code TAM_ABI}. */
    private static final int ABI = 1;
    private static final String NAME = "libtamanoir_kernel.so";
    static final String JNA_DIRECTORY = "jna.tmpdir";
    /** {@code RTLD_NOW} of dlfcn.h: what is missing is found here, and not in the middle of a call, where it would end the process. */
    private static final int RTLD_NOW = 2;
    private static final String PROBLEM = load();

    private KernelLibrary() {
    }

    /** Why there is no library, with the remedy; null if it is loaded. */
    static String problem() {
        return PROBLEM;
    }

    /**
     * Makes sure that the library is loaded.
     *
     * @throws AnepException EE-601 with {@link #problem}
     */
    static void require() {
        if (PROBLEM != null) {
            throw new AnepException(ErrorCode.KERNEL, PROBLEM);
        }
    }

    /** Whatever happens in here is a sentence, never an exception: a class that failed to initialise says nothing useful the second time. */
    private static String load() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "the kernel helper needs Linux; rules run in the node";
        }
        String named = System.getProperty(FILE);
        try {
            return named == null ? loadFromJar() : loadFrom(Path.of(named), "the kernel helper " + named);
        } catch (IOException e) {
            return "the kernel helper cannot be read" + (named == null ? "" : " from " + named) + ": " + AnepException.reason(e)
                    + "; see that " + System.getProperty("java.io.tmpdir") + " can be written and has room";
        } catch (LinkageError | RuntimeException e) {
            return "the kernel helper cannot be loaded: " + reason(e);
        }
    }

    private static String loadFromJar() throws IOException {
        try (InputStream library = KernelLibrary.class.getResourceAsStream(NAME)) {
            if (library == null) {
                return "the kernel helper is not in this build; build again with ./tamanoir, which makes it";
            }
            // Readable and writable by its owner alone.
            Path file = Files.createTempFile("tamanoir-kernel-", ".so");
            try {
                // The program may be told to end before it has gone on to the line that takes the file away.
                file.toFile().deleteOnExit();
                Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
                return loadFrom(file, "the kernel helper");
            } finally {
                Files.deleteIfExists(file);
            }
        }
    }

    private static String loadFrom(Path file, String subject) throws IOException {
        String problem = ElfFile.problem(file);
        if (problem != null) {
            return subject + " " + problem + "; install the one of this release";
        }
        useTemporaryFolder();
        Native.register(KernelNative.class,
                NativeLibrary.getInstance(file.toAbsolutePath().toString(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW)));
        int abi = KernelNative.tam_abi();
        return abi == ABI ? null : subject + " has the interface " + abi + " and this program needs " + ABI + "; install both from one release";
    }

    /** JNA keeps its own library there for a moment; its default leaves a directory in the user's home. */
    static void useTemporaryFolder() {
        if (System.getProperty(JNA_DIRECTORY) == null) {
            System.setProperty(JNA_DIRECTORY, System.getProperty("java.io.tmpdir"));
        }
    }

    private static String reason(Throwable error) {
        // JNA says what it could not do, and behind that, once for each place where it looked, what the loader said.
        String text = String.valueOf(error.getMessage()).lines().map(String::strip).distinct().limit(2).collect(Collectors.joining(" "));
        if (text.contains("libbpf.so")) {
            return text + "; install libbpf (apt-get install libbpf1)";
        }
        if (text.contains("failed to map segment") || text.contains("Operation not permitted")) {
            return text + "; " + System.getProperty("java.io.tmpdir") + " forbids programs (mount option noexec): name another directory with "
                    + "TAMANOIR_JVM=-Djava.io.tmpdir=DIRECTORY";
        }
        if (text.contains("tam_")) {
            return text + "; it is not the kernel helper of this release: install the one that is";
        }
        return text.isEmpty() ? error.toString() : text;
    }

    /**
     * Looks at a library before the loader does: glibc maps what the headers announce, and touching a part that is not there ends the process
     * with SIGBUS. Layout: ELF-64 object file format, file header.
     */
    static final class ElfFile {
        private static final int HEADER = 64;
        private static final int MAGIC = 0x7F454C46;
        private static final int CLASS_64 = 2;
        private static final int X86_64 = 62;
        private static final int AARCH64 = 183;

        private ElfFile() {
        }

        /**
         * What keeps a file from being a library for this JVM.
         *
         * @return a sentence without its subject ({@code is no ELF file}), or null if nothing was found
         * @throws IOException if it cannot be read
         */
        static String problem(Path file) throws IOException {
            ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.BIG_ENDIAN);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                while (header.hasRemaining() && channel.read(header) > 0) {
                    // Reads on.
                }
                if (header.position() < HEADER || header.getInt(0) != MAGIC) {
                    return "is no ELF file";
                }
                header.order(header.get(5) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
                int machine = header.getShort(18) & 0xFFFF;
                if (header.get(4) != CLASS_64 || header.order() != ByteOrder.nativeOrder() || machine != ownMachine()) {
                    return "was built for another processor (ELF machine " + machine + ") than this one, " + System.getProperty("os.arch");
                }
                // Linkers write the table of sections last.
                long end = header.getLong(40) + (long) (header.getShort(58) & 0xFFFF) * (header.getShort(60) & 0xFFFF);
                if (channel.size() < end || end < HEADER) {
                    return "is cut off: it has " + channel.size() + " of " + end + " octets";
                }
                return null;
            }
        }

        private static int ownMachine() {
            return switch (System.getProperty("os.arch")) {
                case "amd64", "x86_64" -> X86_64;
                case "aarch64" -> AARCH64;
                default -> -1;
            };
        }
    }
}
