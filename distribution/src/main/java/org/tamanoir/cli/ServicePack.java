package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.cli.wasm.ModuleBundle;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.wasm.module.WasmModule;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service pack}. */
@Command(name = "pack",
        description = {"Make a bundle from a WebAssembly module, and show what the module requires of a node.",
            "The module must implement the ABI tamanoir_1 or proxy-wasm. It is checked as by a repository but not run; use 'service try' for that. "
                    + "The same module always gives the same bundle, octet for octet. Sign and push the bundle like any other."},
        footer = {"", "Examples:", "  tamanoir service pack shout.wasm --name shout --type-id 0x5501 --version 0.1.0",
            "  tamanoir service pack filter.wasm --name ~cms/filter --type-id 0x5801 --version 1.2.0 --on-failure bypass", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServicePack implements Callable<Integer> {
    private enum OnFailure { restart, bypass }

    private enum Affinity { none, source }

    private enum Resume { none, stateless }

    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "MODULE", description = "The module, a .wasm file.")
    private Path file;
    @Option(names = "--name", required = true, paramLabel = "NAME", description = "The name of the service; ~LABEL/NAME for one of a guest.")
    private String name;
    @Option(names = "--type-id", required = true, paramLabel = "N", description = "Its Type ID, 0x5500 to 0x57ff; 0x5800 to 0x5fff for one of a guest.")
    private String typeId;
    @Option(names = "--version", required = true, paramLabel = "VERSION", description = "Its version, such as 1.0.0.")
    private String version;
    @Option(names = "--output", paramLabel = "FILE", description = "The bundle. Default: NAME-VERSION.jar in the current folder.")
    private Path output;
    @Option(names = "--on-failure", paramLabel = "WHAT", description = "What happens to streams when it fails: restart or bypass. Default: set by the node.")
    private OnFailure onFailure;
    @Option(names = "--affinity", paramLabel = "WHAT", description = "Which streams go to the same node of a cluster: none or source. Default: none.")
    private Affinity affinity;
    @Option(names = "--resume", paramLabel = "WHAT", description = "Whether a stream through it can continue through other nodes: none or stateless. Default: none.")
    private Resume resume;
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;
    // Not by mixinStandardHelpOptions: picocli leaves out all of it where a command has a --version of its own.
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean help;

    @Override
    public Integer call() {
        int number = number();
        if (ServiceName.isGuest(name) != ServiceName.isGuestType(number)) {
            throw new AnepException(ErrorCode.NOT_FOR_GUESTS, "names that begin with ~ have Type IDs from 0x5800 to 0x5fff, and others have none of these");
        }
        WasmModule module;
        try {
            module = WasmModule.read(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "cannot read " + file + ": " + AnepException.reason(e), e);
        }
        Path jar = output != null ? output : Path.of(name.substring(name.indexOf('/') + 1) + "-" + version + ".jar");
        write(new ModuleBundle(name, number, version, more()), module, jar);
        print(module, number, jar);
        return ExitCode.DONE;
    }

    private int number() {
        try {
            return Integer.decode(typeId);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "--type-id " + typeId + " is no number such as 0x5501", e);
        }
    }

    private Map<String, String> more() {
        Map<String, String> more = new LinkedHashMap<>();
        if (onFailure != null) {
            more.put("on-failure", onFailure.name());
        }
        if (affinity != null) {
            more.put("affinity", affinity.name());
        }
        if (resume != null) {
            more.put("resume", resume.name());
        }
        return more;
    }

    /** Whole, and one that a repository would read, or not at all. */
    private static void write(ModuleBundle bundle, WasmModule module, Path jar) {
        Path half = jar.resolveSibling(jar.getFileName() + ".part");
        try {
            bundle.write(module.octets(), half);
            BundleReader.read(half);
            Files.move(half, jar, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + jar + ": " + AnepException.reason(e), e);
        } finally {
            half.toFile().delete();
        }
    }

    private void print(WasmModule module, int number, Path jar) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("bundle", jar.toString());
        try {
            made.put("sha256", BundleHash.of(jar));
            made.put("size", Files.size(jar));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot read " + jar + ": " + AnepException.reason(e), e);
        }
        made.put("name", name);
        made.put("typeId", json ? (Object) number : String.format("0x%x", number));
        made.put("version", version);
        made.put("abi", module.abi().toString().toLowerCase(Locale.ROOT));
        made.put("functions", module.functions());
        made.put("memoryOctets", 65_536L * module.pages());
        made.put("imports", module.imports().stream().map(Object::toString).toList());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, made);
            return;
        }
        made.forEach((key, value) -> {
            if (value instanceof List<?> list) {
                out.println(key + ":" + (list.isEmpty() ? " none" : ""));
                list.forEach(each -> out.println("  " + each));
            } else {
                out.println(key + ": " + value);
            }
        });
        out.flush();
    }
}
