package org.tamanoir.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** IP multicast from the source of a {@link MulticastTestbed} down to every site: one {@code smcrouted} for each router. */
final class MulticastRoutes {
    private static final String GROUPS = "239.0.0.0/8";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private MulticastRoutes() {
    }

    static void start(MulticastTestbed testbed) {
        if (!LabRequirements.has("smcrouted")) {
            throw new LabException("Programs are missing: apt-get install smcroute");
        }
        start(testbed.core(), testbed.access().second(), testbed.sites().stream().map(site -> site.backbone().first()).toList());
        testbed.sites().forEach(site -> start(site.router(), site.backbone().second(), List.of(site.lan().port())));
    }

    /** Starts one; it goes with its host. Its files are removed as soon as it has read them. */
    private static void start(Host router, Port from, List<Port> to) {
        StringBuilder text = new StringBuilder("phyint " + from.name() + " enable\n");
        to.forEach(port -> text.append("phyint ").append(port.name()).append(" enable\n"));
        text.append("mroute from ").append(from.name()).append(" group ").append(GROUPS).append(" to");
        to.forEach(port -> text.append(' ').append(port.name()));
        try {
            Path file = Files.createTempFile("tamanoir-smcroute", ".conf");
            try {
                Files.writeString(file, text.append('\n'));
                // Names of its own for what it keeps under /run: several run on one machine.
                router.start("smcrouted", "smcrouted", "-n", "-N", "-i", router.namespace(), "-f", file.toString());
                awaitInterfaces(router, to.size() + 1);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the kernel has the interfaces as those of a multicast router. */
    private static void awaitInterfaces(Host router, int count) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (router.run("cat", "/proc/net/ip_mr_vif").output().lines().count() < count + 1) {
            if (System.nanoTime() > end) {
                throw new LabException("smcrouted on " + router.name() + " has not taken its interfaces in time");
            }
            sleep();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while waiting for smcrouted", e);
        }
    }
}
