package org.tamanoir.cli.init;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.PrivateDirectory;
import org.tamanoir.trust.Trust;

/**
 * The directory of a new node: {@code node.yaml}, the node's certificate and key, whom it believes, and the key of a publisher of services. What is written is
 * read back as a node reads it.
 *
 * @param listen       HOST:PORT for streams
 * @param name         SPIFFE ID of the node
 * @param repositories URLs
 * @param routes       next hops by prefix; empty for the node's own default
 */
public record NewNode(String listen, String name, List<String> repositories, Map<String, String> routes) {
    private static final String YEARS = "3650";

    /**
     * Writes everything.
     *
     * @param directory new, or empty
     * @throws AnepException EE-408 if something is there, EE-409 if it cannot be written, EE-501 if what was asked for makes no configuration
     */
    public void writeInto(Path directory) {
        try {
            if (Files.exists(directory)) {
                try (Stream<Path> files = Files.list(directory)) {
                    if (files.findAny().isPresent()) {
                        throw new AnepException(ErrorCode.BAD_REQUEST, directory + " is not empty, and nothing in it is overwritten; name a new directory");
                    }
                }
            }
            // Before there are keys that nobody wants.
            check(directory, false);
            PrivateDirectory.make(directory);
            NewKey identity = new NewKey("node", directory.resolve("node.p12"), directory.resolve("node.password"), "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
                    "CN=node", "-ext", "san=uri:" + name, "-validity", YEARS);
            identity.writeCertificate(directory.resolve("node.pem"));
            identity.writeKey(directory.resolve("node.key"));
            Files.copy(directory.resolve("node.pem"), directory.resolve("authorities.pem"));
            Files.delete(directory.resolve("node.p12"));
            Files.delete(directory.resolve("node.password"));
            NewKey publisher = new NewKey("publisher", directory.resolve("publisher.p12"), directory.resolve("publisher.password"), "-keyalg", "Ed25519", "-dname",
                    "CN=publisher of " + host(), "-validity", YEARS);
            publisher.writeCertificate(directory.resolve("publishers.pem"));
            Files.writeString(directory.resolve("node.yaml"), text(directory, true));
            check(directory, true);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, directory + " cannot be written: " + AnepException.reason(e), e);
        }
    }

    /** As a node reads it. */
    private void check(Path directory, boolean isWritten) throws IOException {
        if (!isWritten) {
            Path draft = Files.createTempFile("tamanoir-init", ".yaml");
            try {
                Files.writeString(draft, text(directory, false));
                NodeConfiguration.read(draft);
            } finally {
                Files.delete(draft);
            }
            return;
        }
        NodeConfiguration written = NodeConfiguration.read(directory.resolve("node.yaml"));
        Trust.of(written.trust(), null);
        new Identity(written.tls().files()).close();
    }

    private String host() {
        return name.replaceFirst("^spiffe://([^/]*)/.*", "$1");
    }

    private String text(Path directory, boolean isWhole) {
        Path there = directory.toAbsolutePath().normalize();
        StringBuilder text = new StringBuilder("# A node of Tamanoir, by 'tamanoir init'. Every key is in docs/operating.md.\n"
                + "# After a change: tamanoir config check " + there.resolve("node.yaml") + "\n\n");
        text.append("# Where streams come in, TCP and UDP.\nlisten: ").append(quoted(listen)).append("\ndata: ").append(quoted(there.resolve("data")));
        text.append("\n\n# Whose services are run. publisher.p12 signs yours: tamanoir service sign.\ntrust: ").append(quoted(there.resolve("publishers.pem")));
        text.append("\nrepositories:\n");
        repositories.forEach(url -> text.append("  - ").append(quoted(url)).append('\n'));
        text.append("\n# Who this node is. Another node is believed when its certificate, or that of its authority, is added to authorities.pem.\ntls:\n  certificate: ")
                .append(quoted(there.resolve("node.pem"))).append("\n  key: ").append(quoted(there.resolve("node.key"))).append("\n  authorities: ")
                .append(quoted(there.resolve("authorities.pem"))).append('\n');
        if (!routes.isEmpty()) {
            text.append("\n# Where streams go on: HOST:PORT or tls://HOST:PORT of the next node, or direct.\nroutes:\n");
            routes.forEach((prefix, target) -> text.append("  ").append(quoted(prefix)).append(": ").append(quoted(target)).append('\n'));
        } else if (isWhole) {
            text.append("\n# Where streams go on. Without routes a node on loopback delivers to loopback, and any other nowhere.\n# routes:\n"
                    + "#   198.51.100.0/24: tls://203.0.113.7:3322\n#   192.0.2.0/24: direct\n");
        }
        return text.toString();
    }

    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }
}
