package org.tamanoir.cli.init;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Two nodes that lead streams to each other's networks by TLS, and one publisher whose services both run. The first asks the repositories, the second the first.
 *
 * @param first        the site of the repositories
 * @param host         of the nodes' names
 * @param repositories URLs
 */
public record TwoSites(Site first, Site second, String host, List<String> repositories) {
    private static final List<String> NAMES = List.of("site-a", "site-b");
    /** By default code servers are so far above the port of streams. */
    private static final int CODE_ABOVE = 2;

    /**
     * One of the two.
     *
     * @param listen  HOST:PORT
     * @param network a prefix
     */
    public record Site(String listen, String network) {
        private String codeServer() {
            int colon = listen.lastIndexOf(':');
            try {
                int port = Integer.parseInt(listen.substring(colon + 1));
                if (colon > 0 && port > 0 && port + CODE_ABOVE < 1 << 16) {
                    return listen.substring(0, colon + 1) + (port + CODE_ABOVE);
                }
            } catch (NumberFormatException e) {
                // Said below.
            }
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "listen: '" + listen + "' is not HOST:PORT with a port from 1 to 65533");
        }
    }

    /**
     * Writes {@code site-a}, {@code site-b}, each for one node, and the publisher.
     *
     * @return the directories of the sites
     * @throws AnepException EE-408 if one of them is there, EE-409 if they cannot be written, EE-501 if what was asked for makes no configuration
     */
    public List<Path> writeInto(Path directory) {
        List<Path> sites = NAMES.stream().map(directory::resolve).toList();
        Path publishers = directory.resolve(NewNode.PUBLISHERS);
        List<Path> all = Stream.concat(sites.stream(), Stream.of(publishers, directory.resolve("publisher.p12"), directory.resolve("publisher.password"))).toList();
        all.stream().filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS)).findFirst().ifPresent(path -> {
            throw new AnepException(ErrorCode.BAD_REQUEST, path + " is there, and nothing is overwritten; name another directory");
        });
        List<NewNode> nodes = List.of(
                new NewNode(first.listen, name(0), repositories, List.of(), routes(first, second), List.of(name(1))),
                new NewNode(second.listen, name(1), List.of(), List.of(first.codeServer()), routes(second, first), List.of(name(0))));
        try {
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).check(sites.get(i));
            }
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).writeCertificate(sites.get(i));
            }
            NewNode.writePublisher(directory, host);
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).writeConfiguration(sites.get(i), sites, directory);
            }
        } catch (IOException e) {
            throw NewNode.unwritable(directory, e);
        }
        return sites;
    }

    private String name(int site) {
        return "spiffe://" + host + "/" + NAMES.get(site);
    }

    private static Map<String, String> routes(Site here, Site there) {
        Map<String, String> routes = new LinkedHashMap<>();
        routes.put(here.network, "direct");
        routes.put(there.network, "tls://" + there.listen);
        return routes;
    }
}
