package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A service is upgraded back and forth dozens of times under streams: none of them notices, and what was replaced is gone from memory. */
@Tag("long")
class ManyUpgradesTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "harmless";
    private static final List<String> VERSIONS = List.of("1.0.0", "2.0.0", "3.0.0", "4.0.0");
    /** Until as many versions are remembered as may be; from then on nothing grows. */
    private static final int WARM = 16;
    private static final int UPGRADES = 50;

    @Test
    void leavesNoClassLoaderBehind() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            for (String version : VERSIONS) {
                grid.push(new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version(version).in(grid.directory()));
            }
            Node node = grid.node(configuration -> configuration.set("threads", 1));
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                upgrade(node, echo, 0, WARM);
                int loaders = classLoaders(view);
                long metaspace = metaspace();
                upgrade(node, echo, WARM, UPGRADES);
                int after = classLoaders(view);
                System.out.println("upgrades: class loaders of bundles " + loaders + " -> " + after + ", metaspace +" + (metaspace() - metaspace)
                        + " octets after " + UPGRADES);
                assertThat(after).as("class loaders of bundles, before: %d", loaders).isLessThanOrEqualTo(loaders + 3);
                assertThat(metaspace() - metaspace).as("growth of the metaspace").isLessThan(4 << 20);
                assertThat(view.versions(TYPE)).as("versions that operators see").hasSizeLessThan(20);
                steady.undisturbed();
            }
        }
    }

    /** Each time a stream is open on the version before and ends afterwards; the next one gets the new version. */
    private static void upgrade(Node node, TcpServer echo, int from, int count) throws IOException {
        for (int i = from; i < from + count; i++) {
            String version = VERSIONS.get(i % VERSIONS.size());
            try (AnepPeer before = open(node, echo)) {
                assertEchoes(before);
                Grid.admin(node).timeout(Duration.ofSeconds(20)).post("/services/" + NAME + "/upgrade", Map.of("version", version));
                JsonNode current = new NodeView(node).service(TYPE);
                assertThat(current.path("version").asText()).isEqualTo(version);
                try (AnepPeer after = open(node, echo)) {
                    assertEchoes(after);
                    assertThat(new NodeView(node).service(TYPE).path("streams").asInt()).as("the new stream is on %s", version).isPositive();
                    assertThat(after.finish().receive()).isNull();
                }
                assertEchoes(before);
                assertThat(before.finish().receive()).isNull();
            }
        }
    }

    private static AnepPeer open(Node node, TcpServer echo) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
    }

    private static void assertEchoes(AnepPeer peer) throws IOException {
        peer.send(AnepPeer.data(TYPE, new byte[100]));
        assertThat(peer.receive().payloadLength()).isEqualTo(100);
    }

    /** Class loaders of bundles that are alive after a collection, when the versions that drain have gone. */
    private static int classLoaders(NodeView view) {
        await().until(() -> view.versions(TYPE).stream().filter(version ->
                version.path("state").asText().equals("draining")).count() <= 1);
        int[] count = {loaders()};
        // References of other threads' stacks go a little later.
        await().pollInterval(Duration.ofMillis(300)).until(() -> {
            int now = loaders();
            boolean same = now == count[0];
            count[0] = now;
            return same;
        });
        return count[0];
    }

    private static int loaders() {
        try {
            String histogram = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
            Matcher line = Pattern.compile("^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+org\\.apache\\.felix\\.framework\\.BundleWiringImpl\\$BundleClassLoader",
                    Pattern.MULTILINE).matcher(histogram);
            int sum = 0;
            while (line.find()) {
                sum += Integer.parseInt(line.group(1));
            }
            assertThat(sum).as("class loaders in the histogram").isPositive();
            return sum;
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long metaspace() {
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getName().equals("Metaspace")).findFirst().orElseThrow()
                .getUsage().getUsed();
    }
}
