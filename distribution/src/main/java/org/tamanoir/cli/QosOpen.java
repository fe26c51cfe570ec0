package org.tamanoir.cli;

import java.net.InetSocketAddress;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir qos open}. */
@Command(name = "open", mixinStandardHelpOptions = true,
        description = {"Says what a flow needs to every node on its path, and prints the code of the session.", "",
            "Packets that carry the code ('send --session CODE') then get the class of service that gives it. A session that carries nothing "
            + "for a while (the node's option idle) is forgotten."},
        footer = {"", "Examples:", "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 delay=low,rate=medium",
            "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 --udp level.json", "", "Exit codes: " + Exit.EXPLAINED})
final class QosOpen extends QosRequest {
    @Option(names = "--udp", description = "The flow goes over UDP; without it over TCP.")
    private boolean udp;

    @Parameters(paramLabel = "LEVEL", description = QosLevel.EXPLAINED)
    private String level;

    @Override
    QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
        return qos.open(via, to, QosLevel.read(level, udp));
    }

    @Override
    String done() {
        return "opened";
    }
}
