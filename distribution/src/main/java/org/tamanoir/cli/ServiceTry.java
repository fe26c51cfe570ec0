package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.wasm.ModuleBundle;
import org.tamanoir.cli.wasm.ModuleTrial;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service try}. */
@Command(name = "try", mixinStandardHelpOptions = true,
        description = {"Run a WebAssembly module on standard input, without a node: the input is split into packets of one stream, and what passes is printed.",
            "At the end it prints to standard error how many packets there were and the module's counters. The module runs in a node's sandbox with "
                    + "the same limits, except that a call may take 250 ms instead of 4, since a program that has just started is slow. TAMANOIR_LOG=INFO "
                    + "shows log messages below warnings.",
            "Compiled modules are kept in tamanoir/modules below XDG_CACHE_HOME. Default: ~/.cache."},
        footer = {"", "Examples:", "  echo hello | tamanoir service try shout.wasm", "  echo hello | tamanoir service try shout-0.1.0.jar --option min-size=10", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceTry implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "FILE", description = "A module, or a bundle with one.")
    private Path file;
    @Option(names = "--option", paramLabel = "KEY=VALUE", description = "An option as the operator would set it. Can be given several times.")
    private Map<String, String> options = Map.of();
    @Option(names = "--parameter", paramLabel = "KEY=VALUE", description = "A parameter as the stream would bring it. Can be given several times.")
    private Map<String, String> parameters = Map.of();
    @Option(names = "--packet", paramLabel = "N", defaultValue = "1400", description = "Octets of payload per packet, 1 to 65000. Default: ${DEFAULT-VALUE}.")
    private int packet;
    @Option(names = "--back", description = "Treat the input as traffic from the destination back to the source.")
    private boolean back;

    @Override
    public Integer call() {
        if (packet < 1 || packet > Math.min(65_000, Anep.MAX_PAYLOAD)) {
            throw new ParameterException(spec.commandLine(), "--packet is from 1 to 65000");
        }
        byte[] module;
        try {
            module = ModuleBundle.module(file);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "cannot read " + file + ": " + AnepException.reason(e), e);
        }
        try {
            print(new ModuleTrial(module, options, parameters, packet, back).run(images(), System.in, System.out));
            return ExitCode.DONE;
        } catch (AnepException e) {
            throw e;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what goes on cannot be written: " + AnepException.reason(e), e);
        } catch (Exception e) {
            throw new AnepException(ErrorCode.SERVICE_ERROR, "the service failed: " + e, e);
        }
    }

    private static Path images() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path base = cache != null && !cache.isEmpty() ? Path.of(cache) : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("tamanoir").resolve("modules");
    }

    private void print(Map<String, Object> counted) {
        PrintWriter err = spec.commandLine().getErr();
        err.printf("in: %s packets, %s octets; on: %s packets, %s octets%n", counted.get("packets"), counted.get("octets"), counted.get("onwardPackets"), counted.get("onwardOctets"));
        ((Map<?, ?>) counted.get("metrics")).forEach((name, value) -> err.println(name + ": " + value));
        err.flush();
    }
}
