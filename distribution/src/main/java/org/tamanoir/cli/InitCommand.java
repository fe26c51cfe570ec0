package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.cli.init.NewNode;
import org.tamanoir.cli.init.TwoSites;
import org.tamanoir.cli.init.TwoSites.Site;
import org.tamanoir.node.routing.Route;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir init}. */
@Command(name = "init", mixinStandardHelpOptions = true,
        description = {"Write and check the configuration of a node, with keys: the node's certificate, and a publisher that signs services.",
            "With --two-sites it writes two nodes, DIR/site-a and DIR/site-b, that route streams to each other over TLS and run the services of one "
                    + "publisher: by default for a trial on this machine, or for two machines, given an address and a network for each. Nothing is "
                    + "overwritten. It prints the commands to run next."},
        footer = {"", "Examples:", "  tamanoir init site-a", "  tamanoir init site-a --listen 192.0.2.1:3322 --route 198.51.100.0/24=tls://203.0.113.7:3322",
            "  tamanoir init --two-sites /etc/tamanoir", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class InitCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The directory for node.yaml, certificates and keys.")
    private Path directory;

    @Option(names = "--two-sites", description = "Write two nodes.")
    private boolean twoSites;

    @Option(names = "--listen", paramLabel = "H:P", description = "Address for streams, TCP and UDP; give it twice with --two-sites. Default: 127.0.0.1:3322; with --two-sites 127.0.1.1:3322 and "
            + "127.0.2.1:3322.")
    private List<String> listen;

    @Option(names = "--network", paramLabel = "PREFIX", description = "With --two-sites, given twice: the network that the node delivers to, and that the other one routes to it. Default: 127.0.1.0/24 and "
            + "127.0.2.0/24.")
    private List<String> networks;

    @Option(names = "--name", paramLabel = "NAME", description = "SPIFFE ID of the node. Default: spiffe://HOST/node with this machine's name.")
    private String name;

    @Option(names = "--repository", paramLabel = "URL", description = "Repository of services. Can be given several times. Default: " + RepositoryOptions.DEFAULT + ".")
    private List<String> repositories;

    @Option(names = "--route", paramLabel = "PREFIX=TARGET", description = "As in 'node run'. Can be given several times. Default: none.")
    private List<String> routes = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, Object> made = new LinkedHashMap<>();
        List<Path> nodes;
        Progress progress = new Progress(spec.commandLine().getErr(), "making keys");
        try (progress) {
            nodes = twoSites ? writeTwo(made) : writeOne(made);
        }
        made.put("publishers", directory.resolve("publishers.pem").toString());
        List<String> next = next(nodes);
        made.put("next", next);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, made);
            return ExitCode.DONE;
        }
        for (Path node : nodes) {
            out.println(node.resolve("node.yaml") + " is checked and ready");
        }
        out.printf("%nWhat comes next:%n%n");
        next.forEach(command -> out.println("  " + command));
        out.println(twoSites ? String.format("%nOn two machines %s belongs to the other one, at the same place. publisher.p12 signs services: keep it.", nodes.get(1))
                : String.format("%nOther nodes believe this one, %s, when they have %s among their authorities.", made.get("name"), made.get("certificate")));
        out.flush();
        return ExitCode.DONE;
    }

    private List<Path> writeOne(Map<String, Object> made) {
        if (networks != null || listen != null && listen.size() != 1) {
            throw new ParameterException(spec.commandLine(), "--network, and --listen twice, are for --two-sites");
        }
        Map<String, String> byPrefix = new LinkedHashMap<>();
        for (String text : routes) {
            Route route = Route.parse(text);
            byPrefix.put(route.prefix().toString(), route.target());
        }
        String called = name == null ? "spiffe://" + host() + "/node" : name;
        new NewNode(listen == null ? "127.0.0.1:3322" : listen.get(0), called, repositories(), List.of(), byPrefix, List.of()).writeInto(directory);
        made.put("configuration", directory.resolve("node.yaml").toString());
        made.put("name", called);
        made.put("certificate", directory.resolve("node.pem").toString());
        return List.of(directory);
    }

    private List<Path> writeTwo(Map<String, Object> made) {
        if (name != null || !routes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--name and --route are for one node: with --two-sites the nodes are site-a and site-b, and lead to each other");
        }
        if ((listen == null) != (networks == null) || listen != null && (listen.size() != 2 || networks.size() != 2)) {
            throw new ParameterException(spec.commandLine(), "--two-sites takes --listen twice and --network twice, in the same order, or neither");
        }
        List<String> addresses = listen == null ? List.of("127.0.1.1:3322", "127.0.2.1:3322") : listen;
        List<String> prefixes = networks == null ? List.of("127.0.1.0/24", "127.0.2.0/24") : networks;
        List<Path> sites = new TwoSites(new Site(addresses.get(0), prefixes.get(0)), new Site(addresses.get(1), prefixes.get(1)), host(), repositories()).writeInto(directory);
        made.put("configurations", sites.stream().map(site -> site.resolve("node.yaml").toString()).toList());
        return sites;
    }

    private List<String> repositories() {
        return repositories == null ? List.of(RepositoryOptions.DEFAULT) : repositories;
    }

    /** Below /etc/tamanoir the units of the package read it. */
    private List<String> next(List<Path> nodes) {
        List<String> next = new ArrayList<>();
        nodes.forEach(node -> next.add("tamanoir doctor --config " + node.resolve("node.yaml")));
        List<String> units = nodes.stream().flatMap(node -> NewNode.unit(node).stream()).toList();
        if (twoSites && units.size() == nodes.size()) {
            next.add("systemctl enable --now tamanoir-repository " + String.join(" ", units));
        } else {
            next.add("tamanoir repository run --data " + directory.resolve("repository") + " --trust " + directory.resolve("publishers.pem"));
            nodes.forEach(node -> next.add(NewNode.unit(node).map(unit -> "systemctl enable --now " + unit).orElse("tamanoir node run --config " + node.resolve("node.yaml"))));
        }
        next.add("tamanoir service push --keystore " + directory.resolve("publisher.p12") + " NAME.jar");
        return next;
    }

    /** As a name of SPIFFE may be written. */
    private static String host() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        return host.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
    }
}
