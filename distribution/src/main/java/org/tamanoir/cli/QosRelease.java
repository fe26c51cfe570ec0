package org.tamanoir.cli;

import java.net.InetSocketAddress;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tamanoir qos release}. */
@Command(name = "release", mixinStandardHelpOptions = true,
        description = "Ends a session at every node on its path. What its flow still sends goes as best effort.",
        footer = {"", "Example:", "  tamanoir qos release --via node.site-a:3322 --to 10.2.0.7:7000 4fd1c8a07be2993d", "",
            "Exit codes: " + Exit.EXPLAINED})
final class QosRelease extends QosRequest {
    @Parameters(paramLabel = "CODE", description = "The session: 16 hexadecimal digits.")
    private String code;

    @Override
    QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
        return qos.release(via, to, QosLevel.code(code));
    }

    @Override
    String done() {
        return "released";
    }
}
