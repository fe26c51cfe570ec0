package org.tamanoir.benchmarks.attack;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;

/** A gateway and two nodes carry downloads; one node is stopped (SIGSTOP), goes on, and then the other. TCP would lose nothing. */
final class StoppedNode extends Attack {
    private static final int DOWNLOADS = 8;
    private static final long START_MILLIS = 3000;
    /** For a download to move again, on a busy machine too. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Duration time;

    StoppedNode(boolean quick) {
        time = Duration.ofSeconds(quick ? 15 : 60);
    }

    @Override
    int streams() {
        return DOWNLOADS;
    }

    /** It would stand still with the node. */
    @Override
    boolean hasBystander() {
        return false;
    }

    @Override
    void run(Victim victim, Found found) throws Exception {
        NodeProcess last = victim.node();
        NodeProcess first = victim.addBefore();
        try (DownloadServer server = new DownloadServer()) {
            InetSocketAddress gateway = GatewayProcess.start(victim.build(), victim.workbench(), first.address(), server.address(), "monitoring").address();
            found.add("lost-when-last-stops", "of " + DOWNLOADS, lost(gateway, last));
            found.add("lost-when-first-stops", "of " + DOWNLOADS, lost(gateway, first));
        }
    }

    private int lost(InetSocketAddress gateway, NodeProcess node) throws Exception {
        try (Downloads downloads = new Downloads(gateway, DOWNLOADS)) {
            Thread.sleep(START_MILLIS);
            downloads.requireProgress();
            signal(node, "-STOP");
            try {
                Thread.sleep(time.toMillis());
            } finally {
                signal(node, "-CONT");
            }
            return DOWNLOADS - downloads.moving(PATIENCE);
        }
    }

    private static void signal(NodeProcess node, String name) {
        Command.run(List.of("kill", name, Long.toString(node.tree().root())));
    }
}
