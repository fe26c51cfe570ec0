package org.tamanoir.wasm.image;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;

/** The compiler as a program: takes a module and writes an image, or a line that says why not. */
final class CompilerMain {
    /** The exit code with a line of {@code CODE text} on standard error. */
    static final int REFUSED = 10;
    /** Octets of a compiled module. */
    static final int MOST_OCTETS = 96 << 20;

    private CompilerMain() {
    }

    public static void main(String[] arguments) throws IOException {
        try {
            byte[] image = image(System.in.readAllBytes());
            OutputStream out = System.out;
            out.write(image);
            out.flush();
        } catch (AnepException e) {
            System.err.println(e.code().number() + " " + e.text());
            System.exit(REFUSED);
        }
    }

    /** Compiles a module and has the JVM verify what was made. */
    static byte[] image(byte[] module) {
        Compilation made = Compilation.of(module);
        made.verify();
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put(Image.MODULE, made.stripped().module());
        if (made.stripped().memory() != null) {
            entries.put(Image.MEMORY, made.stripped().memory());
        }
        entries.putAll(made.classes());
        byte[] image = ImageFile.write(entries);
        if (image.length > MOST_OCTETS) {
            throw Compilation.refused("its compiled form has " + image.length + " octets, and may have " + MOST_OCTETS, null);
        }
        return image;
    }
}
