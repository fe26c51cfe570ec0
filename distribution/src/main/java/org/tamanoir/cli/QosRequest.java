package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Stop;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands that ask the nodes of a path for a session have in common. */
abstract class QosRequest implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--via", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The first node on the path.")
    private InetSocketAddress via;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The destination of the flow.")
    private InetSocketAddress to;

    @Mixin
    private BearerOptions bearer;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        try (TamanoirClient client = new TamanoirClient().token(bearer.token())) {
            print(ask(new QosClient(client), via, to));
        }
        return ExitCode.DONE;
    }

    /** Asks. */
    abstract QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException;

    /** What has become of the session, in a word: {@code opened}. */
    abstract String done();

    private void print(QosSession session) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("session", session.name());
            shown.put("partial", session.partial());
            shown.put("warning", session.warning());
            List<Map<String, Object>> path = new ArrayList<>();
            for (Stop stop : session.path()) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("node", stop.node());
                one.put("address", Messages.text(stop.address()));
                one.put("probes", stop.probes() == null ? null : Messages.text(stop.probes()));
                path.add(one);
            }
            shown.put("path", path);
            Json.print(out, shown);
            return;
        }
        out.printf("session %s %s at %d node%s%n", session.name(), done(), session.path().size(), session.path().size() == 1 ? "" : "s");
        session.path().forEach(stop -> out.printf("  node %s at %s%s%n", stop.node(), Messages.text(stop.address()),
                stop.probes() == null ? ", answers no probes" : ", probes at " + Messages.text(stop.probes())));
        if (session.partial() != null) {
            out.printf("the path is not whole: %s%n", session.partial());
        }
        if (session.warning() != null) {
            out.printf("not as things are: %s%n", session.warning());
        }
        out.flush();
    }
}
