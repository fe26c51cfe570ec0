package org.tamanoir.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.cli.decode.HexInputStream;
import org.tamanoir.cli.decode.JsonPrinter;
import org.tamanoir.cli.decode.PacketPrinter;
import org.tamanoir.cli.decode.PacketReader;
import org.tamanoir.cli.decode.TextPrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir anep decode}: prints a stream of packets, whatever its length, in memory for one packet. */
@Command(name = "decode", mixinStandardHelpOptions = true,
        description = {"Print each packet of a file: its offset, its header, its options by name, and its first octets.",
            "The file holds consecutive packets, as in a TCP stream or a single datagram. At a malformed packet the command prints the error code "
                    + "and the offset, and exits with 1."},
        footer = {"", "Example:", "  tamanoir anep decode stream.anep",
            "  echo '01 00 5402 0002 000D 68656C6C6F' | tamanoir anep decode --hex --json -",
            "", "With --json one object: {\"packets\": [...], \"count\": N, \"octets\": N}, and \"error\" where a packet is malformed."})
final class AnepDecode implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The file; - is standard input.")
    private String file;

    @Option(names = "--hex", description = "The input is hexadecimal text; white space, colons and everything after a # are ignored.")
    private boolean hex;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(names = "--octets", paramLabel = "N", defaultValue = "16", description = "Octets of each payload to print. Default: ${DEFAULT-VALUE}.")
    private int octets;

    @Override
    public Integer call() throws IOException {
        if (octets < 0 || octets > Anep.MAX_PAYLOAD) {
            throw new ParameterException(spec.commandLine(), "--octets is 0 to " + Anep.MAX_PAYLOAD);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (InputStream in = open()) {
            decode(hex ? new HexInputStream(in) : in, out);
            return ExitCode.DONE;
        } catch (ReaderGone e) {
            return ExitCode.DONE;
        }
    }

    private void decode(InputStream in, PrintWriter out) throws IOException {
        PacketPrinter printer = json ? new JsonPrinter(out, octets) : new TextPrinter(out, octets);
        PacketReader reader = new PacketReader(in, () -> flush(printer, out));
        printer.begin();
        try {
            for (Packet packet = reader.next(); packet != null; packet = reader.next()) {
                printer.packet(reader.offset(), packet);
            }
            printer.end(reader.offset(), null);
        } catch (AnepException e) {
            printer.end(reader.offset(), e);
            flush(printer, out);
            throw new AnepException(e.code(), "at offset " + reader.offset() + ": " + e.text());
        }
        flush(printer, out);
    }

    private InputStream open() throws IOException {
        if (file.equals("-")) {
            return System.in;
        }
        Path path = Path.of(file);
        if (Files.isDirectory(path)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, file + " is a directory");
        }
        try {
            return Files.newInputStream(path);
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file " + file, e);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the file " + file + " cannot be read: " + e, e);
        }
    }

    /** Called before every read: what is known is shown while the input waits, and a reader that has gone ends the work. */
    private static void flush(PacketPrinter printer, PrintWriter out) {
        printer.flush();
        if (out.checkError()) {
            throw new ReaderGone();
        }
    }

    /** Nobody reads the output any more, as behind {@code | head}: no error. */
    private static final class ReaderGone extends RuntimeException {
        ReaderGone() {
            super(null, null, false, false);
        }
    }
}
