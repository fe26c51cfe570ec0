package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.node.Node;
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

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file, read again when it changes; options below go before it.")
    private Path file;

    @Option(names = "--listen", paramLabel = "H:P", description = "Where streams come in, TCP and UDP (127.0.0.1:3322).")
    private String listen;

    @Option(names = "--admin", paramLabel = "H:P", description = "Where the admin API listens on TCP, besides the Unix socket DIR/admin.sock (nowhere).")
    private String admin;

    @Option(names = "--admin-token-file", paramLabel = "FILE", description = "Token of operators for the admin API on TCP; needed there without --development.")
    private Path adminTokenFile;

    @Option(names = "--repository", paramLabel = "URL", description = "Where services come from; more than one are asked in order.")
    private List<String> repositories;

    @Option(names = "--route", paramLabel = "PREFIX=TARGET", description = "TARGET is HOST:PORT or tls://HOST:PORT of the next node, direct, or direct:PORTS.")
    private List<String> routes;

    @Option(names = "--peer", paramLabel = "PREFIX|NAME", description = "A node that this one believes, by its address or by the SPIFFE ID of its certificate; more than one may be given.")
    private List<String> peers;

    @Option(names = "--access-policy", paramLabel = "FILE", description = "Who may open which streams. Without it everybody who reaches the node may.")
    private Path accessPolicy;

    @Option(names = "--trust", paramLabel = "FILE",
            description = "PEM file with the certificates of publishers whose bundles are run. Either this or --development is needed.")
    private Path trust;

    @Option(names = "--revoked", paramLabel = "FILE", description = "Keys and bundles that are revoked; both files are read again when they change.")
    private Path revoked;

    @Option(names = "--development", description = "Run bundles that nobody has signed. For machines of developers alone.")
    private boolean development;

    @Option(names = "--code", paramLabel = "H:P|none",
            description = "Where the next nodes may fetch services of this one (two ports above --listen).")
    private String code;

    @Option(names = "--neighbour", paramLabel = "H:P",
            description = "Code server of another node that may be asked besides the one that a stream comes from.")
    private List<String> neighbours;

    @Option(names = "--link", paramLabel = "H:P",
            description = "ANEP address of a node next to this one, for services that speak with it; more than one are allowed.")
    private List<String> links;

    @Option(names = "--member", paramLabel = "PREFIX",
            description = "Hosts that may take part in multicast sessions through this node; more than one are allowed (loopback on a loopback address, else nobody).")
    private List<String> members;

    @Option(names = "--multicast-interface", paramLabel = "NAME",
            description = "Interface where services join groups and what they send to groups leaves (none).")
    private String multicast;

    @Option(names = "--kernel", paramLabel = "auto|off|required",
            description = "Whether light services run in the kernel (auto: where they can).")
    private String kernel;

    @Option(names = "--interface", paramLabel = "NAME",
            description = "Interface whose packets the kernel path looks at; more than one are allowed (all but loopback).")
    private List<String> interfaces;

    @Option(names = "--data", paramLabel = "DIR", description = "Directory of this node (~/.local/share/tamanoir/node-PORT).")
    private Path data;

    @Option(names = "--threads", paramLabel = "N", description = "Event loops (one a core).")
    private Integer threads;

    @Option(names = "--io", paramLabel = "epoll|nio", description = "Kind of input and output (epoll where it works).")
    private String io;

    @Option(names = "--drain", paramLabel = "TIME", description = "Time for open streams to finish when told to stop (10s).")
    private String drain;

    @Override
    public Integer call() throws InterruptedException {
        NodeConfiguration begun = configuration();
        Node node = Node.start(begun, file, this::configuration);
        if (begun.development()) {
            spec.commandLine().getErr().println("Development mode: bundles that nobody has signed are run"
                    + (begun.admin() == null ? "." : ", and whoever is on this machine may change this node."));
        }
        ServerExit.untilStopped(spec.commandLine().getOut(),
                "READY node anep://" + HostPort.text(node.address()) + " admin " + node.adminUrl(), node::stop);
        return ExitCode.DONE;
    }

    /** The options of the command line go before the file, also when it is read again. */
    private NodeConfiguration configuration() {
        Settings settings = file == null ? Settings.none() : Settings.of(file);
        return NodeConfiguration.of(settings.set("listen", listen).set("admin", admin).set("admin-token-file", adminTokenFile)
                .set("repositories", repositories).set("routes", routes == null ? null : routesByPrefix()).set("peers", peers).set("access-policy", accessPolicy).set("trust", trust)
                .set("revoked", revoked).set("development", development ? true : null).set("code", code).set("neighbours", neighbours)
                .set("links.neighbours", links).set("links.members", members).set("links.interface", multicast).set("kernel.use", kernel)
                .set("kernel.interfaces", interfaces).set("data", data).set("threads", threads).set("io", io).set("drain", drain));
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
