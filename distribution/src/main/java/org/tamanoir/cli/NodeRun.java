package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.routing.Route;
import org.tamanoir.settings.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir node run}. */
@Command(name = "run", mixinStandardHelpOptions = true, description = "Run an active node until SIGTERM or SIGINT.",
        footer = {"", "Examples:",
            "  tamanoir node run --development --repository http://127.0.0.1:3325",
            "  tamanoir node run --trust publishers.pem --listen 192.0.2.1:3322 --route 198.51.100.0/24=203.0.113.7:3322",
            "  tamanoir node run --config /etc/tamanoir/node.yaml", "",
            "Without routes a node on a loopback address delivers to loopback, and any other node delivers nowhere.",
            "When it serves it prints one line: READY node anep://HOST:PORT admin URL, where URL is http://HOST:PORT or",
            "unix:PATH."})
final class NodeRun implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file, read again when it changes; the options below override it.")
    private Path file;

    @Option(names = "--listen", paramLabel = "H:P", description = "Address for streams, TCP and UDP. Default: 127.0.0.1:3322.")
    private String listen;

    @Option(names = "--admin", paramLabel = "H:P", description = "TCP address of the admin API, in addition to the Unix socket DIR/admin.sock. Default: none.")
    private String admin;

    @Option(names = "--admin-token-file", paramLabel = "FILE", description = "File with the operators' token for the admin API on TCP; required there without --development.")
    private Path adminTokenFile;

    @Option(names = "--repository", paramLabel = "URL", description = "Repository of services. Can be given several times; they are asked in order.")
    private List<String> repositories;

    @Option(names = "--tuf", paramLabel = "FILE", description = "First root of the TUF metadata that these repositories publish: only services that the metadata lists are accepted.")
    private Path tuf;

    @Option(names = "--route", paramLabel = "PREFIX=TARGET", description = "TARGET is HOST:PORT or tls://HOST:PORT of the next node, or several separated by commas and optionally followed by *WEIGHT (0: a "
            + "spare); or direct, or direct:PORTS.")
    private List<String> routes;

    @Option(names = "--peer", paramLabel = "PREFIX|NAME", description = "A trusted node, by address or by the SPIFFE ID in its certificate. Can be given several times.")
    private List<String> peers;

    @Option(names = "--access-policy", paramLabel = "FILE", description = "File that says who may open which streams. Default: anyone who can reach the node.")
    private Path accessPolicy;

    @Option(names = "--trust", paramLabel = "FILE",
            description = "PEM file with the certificates of trusted publishers. Either this or --development is required.")
    private Path trust;

    @Option(names = "--guests", paramLabel = "FILE",
            description = "PEM file with the certificates of guests: publishers with quotas instead of trust, whose services are WebAssembly.")
    private Path guests;

    @Option(names = "--revoked", paramLabel = "FILE", description = "List of revoked keys and bundles. This file and those of --trust and --guests are read again when they change.")
    private Path revoked;

    @Option(names = "--development", description = "Run unsigned bundles. For developer machines only.")
    private boolean development;

    @Option(names = "--code", paramLabel = "H:P|none",
            description = "Address of the code server, where the next nodes fetch services. Default: two ports above --listen.")
    private String code;

    @Option(names = "--neighbour", paramLabel = "H:P",
            description = "Code server of another node, asked in addition to the node that a stream comes from. Can be given several times.")
    private List<String> neighbours;

    @Option(names = "--link", paramLabel = "H:P",
            description = "ANEP address of a neighbouring node, for services that communicate with it. Can be given several times.")
    private List<String> links;

    @Option(names = "--member", paramLabel = "PREFIX",
            description = "Hosts that may take part in multicast sessions through this node. Can be given several times. Default: loopback if the node listens on "
                    + "loopback, otherwise none.")
    private List<String> members;

    @Option(names = "--multicast-interface", paramLabel = "NAME",
            description = "Interface for multicast groups. Default: none.")
    private String multicast;

    @Option(names = "--kernel", paramLabel = "auto|off|required",
            description = "Whether light services run in the kernel. Default: auto, if they can.")
    private String kernel;

    @Option(names = "--interface", paramLabel = "NAME",
            description = "Interface for the kernel path. Can be given several times. Default: all except loopback.")
    private List<String> interfaces;

    @Option(names = "--data", paramLabel = "DIR", description = "Data directory. Default: ~/.local/share/tamanoir/node-PORT.")
    private Path data;

    @Option(names = "--threads", paramLabel = "N", description = "Number of event loops. Default: one per core.")
    private Integer threads;

    @Option(names = "--io", paramLabel = "epoll|nio", description = "I/O transport. Default: epoll where available.")
    private String io;

    @Option(names = "--drain", paramLabel = "TIME", description = "Time for open streams to finish when the node stops. Default: 10s.")
    private String drain;

    @Override
    public Integer call() throws InterruptedException {
        ConfigurationSource source = new ConfigurationSource(file, this::settings);
        NodeConfiguration begun = source.first();
        Node node = Node.start(source, begun);
        if (begun.development()) {
            spec.commandLine().getErr().println("Development mode: unsigned bundles are run"
                    + (begun.admin() == null ? "." : ", and any user of this machine may change this node."));
        }
        ServerExit.untilStopped(spec.commandLine().getOut(),
                "READY node anep://" + HostPort.text(node.address()) + " admin " + node.adminUrl(), node::stop);
        return ExitCode.DONE;
    }

    private List<?> repositories() {
        if (tuf == null) {
            return repositories;
        }
        if (repositories == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "--tuf is a root of the repositories that --repository names, and there is none");
        }
        return repositories.stream().map(url -> Map.of("url", url, "tuf", tuf.toString())).toList();
    }

    /** The options of the command line go before the file, also when it is read again. */
    private Settings settings() {
        Settings settings = file == null ? Settings.none() : Settings.of(file);
        return settings.set("listen", listen).set("admin", admin).set("admin-token-file", adminTokenFile)
                .set("repositories", repositories()).set("routes", routes == null ? null : routesByPrefix()).set("peers", peers).set("access-policy", accessPolicy).set("trust", trust).set("guests", guests)
                .set("revoked", revoked).set("development", development ? true : null).set("code", code).set("neighbours", neighbours)
                .set("links.neighbours", links).set("links.members", members).set("links.interface", multicast).set("kernel.use", kernel)
                .set("kernel.interfaces", interfaces).set("data", data).set("threads", threads).set("io", io).set("drain", drain);
    }

    private Map<String, String> routesByPrefix() {
        Map<String, String> byPrefix = new LinkedHashMap<>();
        for (String text : routes) {
            Route route = Route.parse(text);
            byPrefix.put(route.prefix().toString(), route.target());
        }
        return byPrefix;
    }
}
