package org.tamanoir.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** IP multicast from the source of a {@link MulticastTestbed} down to every site: one {@code smcrouted} for each router. */
final class MulticastRoutes {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String source;
    private final List<String> groups;

    private MulticastRoutes(String source, List<String> groups) {
        this.source = source;
        this.groups = groups;
    }

    static void start(MulticastTestbed testbed, List<String> groups) {
        DebianPackages.require("smcrouted", "smcroute", "smcroute");
        MulticastRoutes routes = new MulticastRoutes(testbed.access().first().ipv4().getHostAddress(), groups);
        routes.start(testbed.core(), testbed.access().second(), testbed.sites().stream().map(site -> site.backbone().first()).toList());
        testbed.sites().forEach(site -> routes.start(site.router(), site.backbone().second(), List.of(site.lan().port())));
    }

    /** Starts one; it goes with its host. Its configuration is removed as soon as it has read it. */
    private void start(Host router, Port from, List<Port> to) {
        try {
            Path file = Files.createTempFile("tamanoir-smcroute", ".conf");
            try {
                Files.writeString(file, configuration(from, to));
                // Names of its own for what it keeps under /run: several run on one machine.
                router.start("smcrouted", "smcrouted", "-n", "-N", "-i", router.namespace(), "-f", file.toString());
                awaitRoutes(router);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Source and group are both named: a route for any source would be made by the first packet, and the next few would be lost meanwhile. */
    private String configuration(Port from, List<Port> to) {
        StringBuilder text = new StringBuilder("phyint " + from.name() + " enable\n");
        to.forEach(port -> text.append("phyint ").append(port.name()).append(" enable\n"));
        for (String group : groups) {
            text.append("mroute from ").append(from.name()).append(" source ").append(source).append(" group ").append(group).append(" to");
            to.forEach(port -> text.append(' ').append(port.name()));
            text.append('\n');
        }
        return text.toString();
    }

    /** Waits until the kernel has the routes, each a line below a heading. */
    private void awaitRoutes(Host router) {
        Waiting.until(PATIENCE, 20, () -> router.run("cat", "/proc/net/ip_mr_cache").output().lines().count(), lines -> lines > groups.size(),
                lines -> "smcrouted on " + router.name() + " has not made its routes in time");
    }
}
