import java.io.File;
import org.tamanoir.cli.Tamanoir;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes a man page of each command, in AsciiDoc. {@code java Manuals.java DIRECTORY}. */
final class Manuals {
    public static void main(String[] arguments) throws Exception {
        System.exit(ManPageGenerator.generateManPage(new File(arguments[0]), null, new boolean[0], true, Tamanoir.commandLine().getCommandSpec()));
    }
}
