package org.tamanoir.cli.init;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.trust.Trust;

/**
 * The directory of a new node: {@code node.yaml}, the node's certificate and key, whom it believes, and the certificate of a publisher of services. What is
 * written is read back as a node reads it. Everybody may read what is there but the keys, since a service manager runs nodes as users of their own.
 *
 * @param listen       HOST:PORT for streams
 * @param name         SPIFFE ID of the node
 * @param repositories URLs
 * @param neighbours   HOST:PORT of code servers
 * @param routes       next hops by prefix; empty for the node's own default
 * @param peers        names of the nodes that it believes; empty for the node's own default
 */
public record NewNode(String listen, String name, List<String> repositories, List<String> neighbours, Map<String, String> routes, List<String> peers) {
    static final String YEARS = "3650";
    static final String PUBLISHERS = "publishers.pem";
    /** Where the package's unit tamanoir-node@NAME looks for NAME/node.yaml, and where it may write. */
    private static final Path INSTALLED = Path.of("/etc/tamanoir");
    private static final Path INSTALLED_DATA = Path.of("/var/lib/tamanoir");

    /**
     * Writes everything, with a publisher of its own.
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
            check(directory);
            writeCertificate(directory);
            writePublisher(directory, host());
            writeConfiguration(directory, List.of(directory), directory);
        } catch (IOException e) {
            throw unwritable(directory, e);
        }
    }

    static AnepException unwritable(Path directory, IOException e) {
        return new AnepException(ErrorCode.STORAGE, directory + " cannot be written: " + AnepException.reason(e), e);
    }

    /** The unit of the package that would run a node of this directory, if there is one. */
    public static Optional<String> unit(Path directory) {
        Path there = directory.toAbsolutePath().normalize();
        return INSTALLED.equals(there.getParent()) ? Optional.of("tamanoir-node@" + there.getFileName()) : Optional.empty();
    }

    private static Path data(Path there) {
        return INSTALLED.equals(there.getParent()) ? INSTALLED_DATA.resolve("node-" + there.getFileName()) : there.resolve("data");
    }

    /** As a node would read it, before there are keys that nobody wants. */
    void check(Path directory) throws IOException {
        Path draft = Files.createTempFile("tamanoir-init", ".yaml");
        try {
            Files.writeString(draft, text(directory, false));
            NodeConfiguration.read(draft);
        } finally {
            Files.delete(draft);
        }
    }

    /** The node's key, and the certificate that says whose it is. */
    void writeCertificate(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        NewKey identity = new NewKey("node", directory.resolve("node.p12"), directory.resolve("node.password"), "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=node",
                "-ext", "san=uri:" + name, "-validity", YEARS);
        identity.writeCertificate(certificate(directory));
        identity.writeKey(directory.resolve("node.key"));
        Files.delete(directory.resolve("node.p12"));
        Files.delete(directory.resolve("node.password"));
    }

    /** The key of a publisher, and the certificate that says whose it is. */
    static void writePublisher(Path directory, String host) throws IOException {
        NewKey publisher = new NewKey("publisher", directory.resolve("publisher.p12"), directory.resolve("publisher.password"), "-keyalg", "Ed25519", "-dname",
                "CN=publisher of " + host, "-validity", YEARS);
        publisher.writeCertificate(directory.resolve(PUBLISHERS));
    }

    /** @param believed the directories of the nodes that it believes, its own among them; @param publisher the directory of the publisher */
    void writeConfiguration(Path directory, List<Path> believed, Path publisher) throws IOException {
        StringBuilder authorities = new StringBuilder();
        for (Path each : believed) {
            authorities.append(Files.readString(certificate(each)));
        }
        NewKey.writeForAll(directory.resolve("authorities.pem"), authorities.toString());
        if (!publisher.equals(directory)) {
            NewKey.writeForAll(directory.resolve(PUBLISHERS), Files.readString(publisher.resolve(PUBLISHERS)));
        }
        NewKey.writeForAll(directory.resolve("node.yaml"), text(directory, true));
        NodeConfiguration written = NodeConfiguration.read(directory.resolve("node.yaml"));
        Trust.of(written.trust(), null);
        new Identity(written.tls().files()).close();
    }

    private static Path certificate(Path directory) {
        return directory.resolve("node.pem");
    }

    String host() {
        return name.replaceFirst("^spiffe://([^/]*)/.*", "$1");
    }

    private String text(Path directory, boolean isWhole) {
        Path there = directory.toAbsolutePath().normalize();
        StringBuilder text = new StringBuilder("# A node of Tamanoir, by 'tamanoir init'. Every key is in docs/operating.md.\n"
                + "# After a change: tamanoir config check " + there.resolve("node.yaml") + "\n\n");
        text.append("# Where streams come in, TCP and UDP.\nlisten: ").append(quoted(listen)).append("\ndata: ").append(quoted(data(there)));
        text.append("\n\n# Whose services are run. publisher.p12 signs yours: tamanoir service push --keystore.\ntrust: ").append(quoted(there.resolve(PUBLISHERS)));
        text.append('\n');
        list(text, "", "repositories", repositories);
        list(text, "# Nodes that are asked for services before them.\n", "neighbours", neighbours);
        text.append("\n# Who this node is. Another node is believed when its certificate, or that of its authority, is added to authorities.pem.\ntls:\n  certificate: ")
                .append(quoted(certificate(there))).append("\n  key: ").append(quoted(there.resolve("node.key"))).append("\n  authorities: ")
                .append(quoted(there.resolve("authorities.pem"))).append('\n');
        list(text, "  # Programs on this machine need no certificate.\n", "  plain", ownAddresses());
        list(text, "\n# Nodes whose word counts: which stream it is, and where services are.\n", "peers", peers);
        if (!routes.isEmpty()) {
            text.append("\n# Where streams go on: HOST:PORT or tls://HOST:PORT of the next node, or direct.\nroutes:\n");
            routes.forEach((prefix, target) -> text.append("  ").append(quoted(prefix)).append(": ").append(quoted(target)).append('\n'));
        } else if (isWhole) {
            text.append("\n# Where streams go on. Without routes a node on loopback delivers to loopback, and any other nowhere.\n# routes:\n"
                    + "#   198.51.100.0/24: tls://203.0.113.7:3322\n#   192.0.2.0/24: direct\n");
        }
        return text.toString();
    }

    /** From which programs on this machine reach a node that listens beyond loopback; empty where the node's own default says it. */
    private List<String> ownAddresses() {
        String host = listen.substring(0, Math.max(0, listen.lastIndexOf(':'))).replaceAll("[\\[\\]]", "");
        boolean isLiteral = host.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
        return isLiteral && !host.startsWith("127.") && !host.matches("0\\.0\\.0\\.0|::1?") ? List.of("127.0.0.0/8", "::1", host) : List.of();
    }

    private static void list(StringBuilder text, String comment, String key, List<String> values) {
        if (!values.isEmpty()) {
            text.append(comment).append(key).append(":\n");
            values.forEach(value -> text.append(key, 0, key.length() - key.stripLeading().length()).append("  - ").append(quoted(value)).append('\n'));
        }
    }

    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }
}
