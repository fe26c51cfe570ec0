package org.tamanoir.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Looks at a library before the loader does: glibc maps what the headers announce, and touching a part that is not there ends the process
 * with SIGBUS. Layout: ELF-64 object file format, file header.
 */
final class ElfFile {
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
