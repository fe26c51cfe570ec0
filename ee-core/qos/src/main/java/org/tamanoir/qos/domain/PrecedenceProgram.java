package org.tamanoir.qos.domain;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The BPF program that tells queues the drop precedence of packets: {@code kernel-helpers/bpf/precedence.bpf.c}. */
public final class PrecedenceProgram {
    /** Of its file, as it stands in lines for {@code tc}, which looks for it in its working directory. */
    public static final String NAME = "precedence.bpf.o";

    private PrecedenceProgram() {
    }

    /** Writes it into a folder, under its name. */
    public static void write(Path folder) throws IOException {
        try (InputStream program = PrecedenceProgram.class.getResourceAsStream(NAME)) {
            if (program == null) {
                throw new IOException(NAME + " is not in this build; build again with ./tamanoir, which makes it");
            }
            Files.copy(program, folder.resolve(NAME));
        }
    }

    static boolean isNamedIn(String line) {
        return line.contains(" " + NAME + " ");
    }
}
