package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.cli.init.NewNode;
import org.tamanoir.node.routing.Route;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir init}. */
@Command(name = "init", mixinStandardHelpOptions = true,
        description = {"Write the configuration of a node, checked, with keys: a certificate of the node, and a publisher who signs services.",
            "Nothing is overwritten: the directory is new or empty. It prints the commands that come next."},
        footer = {"", "Examples:", "  tamanoir init site-a", "  tamanoir init site-a --listen 192.0.2.1:3322 --route 198.51.100.0/24=tls://203.0.113.7:3322", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class InitCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The directory: node.yaml, certificates and keys.")
    private Path directory;

    @Option(names = "--listen", paramLabel = "H:P", defaultValue = "127.0.0.1:3322", description = "Address for streams, TCP and UDP. Default: ${DEFAULT-VALUE}.")
    private String listen;

    @Option(names = "--name", paramLabel = "NAME", description = "SPIFFE ID of the node. Default: spiffe://HOST/node, with the name of this machine.")
    private String name;

    @Option(names = "--repository", paramLabel = "URL", description = "Repository of services; may be repeated. Default: " + RepositoryOptions.DEFAULT + ".")
    private List<String> repositories;

    @Option(names = "--route", paramLabel = "PREFIX=TARGET", description = "As for node run; may be repeated. Default: none.")
    private List<String> routes = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, String> byPrefix = new LinkedHashMap<>();
        for (String text : routes) {
            Route route = Route.parse(text);
            byPrefix.put(route.prefix().toString(), route.target());
        }
        String called = name == null ? "spiffe://" + host() + "/node" : name;
        new NewNode(listen, called, repositories == null ? List.of(RepositoryOptions.DEFAULT) : repositories, byPrefix).writeInto(directory);
        Path configuration = directory.resolve("node.yaml");
        Path publishers = directory.resolve("publishers.pem");
        List<String> next = List.of("tamanoir doctor --config " + configuration,
                "tamanoir repository run --data " + directory.resolve("repository") + " --trust " + publishers,
                "tamanoir node run --config " + configuration,
                "tamanoir service sign NAME.jar --keystore " + directory.resolve("publisher.p12") + " --alias publisher --password-file "
                        + directory.resolve("publisher.password"),
                "tamanoir service push NAME.jar");
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> made = new LinkedHashMap<>();
            made.put("configuration", configuration.toString());
            made.put("name", called);
            made.put("certificate", directory.resolve("node.pem").toString());
            made.put("publishers", publishers.toString());
            made.put("next", next);
            Json.print(out, made);
            return ExitCode.DONE;
        }
        out.printf("%s is checked and ready; the node is %s. What comes next:%n%n", configuration, called);
        next.forEach(command -> out.println("  " + command));
        out.printf("%nOther nodes believe this one when they have %s among their authorities.%n", directory.resolve("node.pem"));
        out.flush();
        return ExitCode.DONE;
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
