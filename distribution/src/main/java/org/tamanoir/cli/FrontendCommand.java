package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tamanoir.cluster.frontend.EngineChoice;
import org.tamanoir.cluster.frontend.Frontend;
import org.tamanoir.cluster.frontend.FrontendConfiguration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir frontend}. */
@Command(name = "frontend", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Run or inspect the front-end of a cluster: one address for many nodes.",
        subcommands = {FrontendCommand.Run.class, FrontendStatus.class},
        footer = {"", "Example:", "  tamanoir frontend run --config /etc/tamanoir/frontend.yaml"})
final class FrontendCommand {

    /** {@code tamanoir frontend run}. */
    @Command(name = "run", mixinStandardHelpOptions = true,
            description = {"Run the front-end of a cluster until SIGTERM or SIGINT.",
                "Back ends register with the front-end's token, which is required. It spreads streams over them with IPVS and keepalived, or with "
                        + "nftables if the kernel has no IPVS. Everything it sets up in the kernel is removed when it ends."},
            footer = {"", "Examples:", "  tamanoir frontend run --config /etc/tamanoir/frontend.yaml",
                "  tamanoir frontend run --config frontend.yaml --engine nft --token-file cluster.token", "",
                "When it serves it prints one line: READY frontend http://HOST:PORT", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Run implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Option(names = "--config", paramLabel = "FILE", required = true,
                description = "YAML file with pools and their addresses; read again when it changes. Options override it.")
        private Path file;

        @Option(names = "--listen", paramLabel = "H:P", description = "Address for reports from back ends and requests from operators. Default: 127.0.0.1:3327.")
        private String listen;

        @Option(names = "--engine", paramLabel = "auto|ipvs|nft", description = "Forwarding engine. Default: auto, which is IPVS if the kernel has it.")
        private String engine;

        @Option(names = "--data", paramLabel = "DIR", description = "Data directory. Default: ~/.local/share/tamanoir/frontend-PORT.")
        private Path data;

        @Mixin
        private TokenOptions tokens;

        @Override
        public Integer call() throws InterruptedException {
            FrontendConfiguration configuration = FrontendConfiguration.read(file);
            configuration.listen = listen == null ? configuration.listen : listen;
            configuration.engine = engine == null ? configuration.engine : engine;
            configuration.data = data == null ? configuration.data : data;
            String token = tokens.token() != null || configuration.tokenFile == null ? tokens.token() : TokenOptions.read(configuration.tokenFile);
            Frontend frontend = Frontend.start(configuration, file, token, EngineChoice::open);
            ServerExit.untilStopped(spec.commandLine().getOut(), "READY frontend " + frontend.url(), frontend::close);
            return ExitCode.DONE;
        }
    }
}
