package org.tamanoir.cli;

import java.net.InetSocketAddress;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir qos modify}. */
@Command(name = "modify", mixinStandardHelpOptions = true,
        description = "Gives a session another service level, at every node on its path. Its flow goes on meanwhile.",
        footer = {"", "Example:", "  tamanoir qos modify --via node.site-a:3322 --to 10.2.0.7:7000 4fd1c8a07be2993d minRateMbps=40", "",
            "Exit codes: " + Exit.EXPLAINED})
final class QosModify extends QosRequest {
    @Option(names = "--udp", description = "The flow goes over UDP; without it over TCP.")
    private boolean udp;

    @Parameters(index = "0", paramLabel = "CODE", description = "The session: 16 hexadecimal digits.")
    private String code;

    @Parameters(index = "1", paramLabel = "LEVEL", description = QosLevel.EXPLAINED)
    private String level;

    @Override
    QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
        return qos.modify(via, to, QosLevel.code(code), QosLevel.read(level, udp));
    }

    @Override
    String done() {
        return "modified";
    }
}
