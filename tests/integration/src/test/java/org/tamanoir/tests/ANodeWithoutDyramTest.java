package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.node.Node;

/** A node that cannot get the service {@code dyram} says so, and receiver and source pass it on to their users. */
class ANodeWithoutDyramTest {
    @TempDir
    private Path folder;

    @Test
    void isReportedToTheUsersOfReceiverAndSource() throws Exception {
        List<String> notices = new CopyOnWriteArrayList<>();
        Path file = Files.writeString(folder.resolve("file"), "content");
        try (Grid grid = new Grid()) {
            Node node = grid.node();
            InetSocketAddress group = new InetSocketAddress("239.255.75.1", 5405);
            String said = "node 127.0.0.1:" + node.address().getPort() + " cannot serve multicast: ";
            try (MulticastReceiver receiver = MulticastReceiver.start(new MulticastReceiverOptions(group, "a", folder.resolve("out"))
                    .via(node.address()).notices(notices::add));
                    MulticastSender sender = MulticastSender.start(new MulticastSenderOptions(group, List.of(file)).via(node.address()).expect(1)
                            .rate(1_000_000).gathering(Duration.ofSeconds(2)))) {
                sender.result().get(20, TimeUnit.SECONDS);
                assertThat(sender.silence()).hasMessageContaining(said).hasMessageStartingWith("EE-30");
                await().untilAsserted(() -> assertThat(notices).filteredOn(notice -> notice.contains(said)).as("once: %s", notices).hasSize(1));
                assertThat(receiver.status().packets()).isZero();
            }
        }
    }
}
