package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/** One active node, as a user starts it, with a repository beside it from which the first stream makes it fetch {@code monitoring}. */
final class NodeRelay {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private NodeRelay() {
    }

    static RelaySystem start(RelayTestbed testbed) {
        Host host = testbed.node();
        LabProcess repository = host.start("repository", CommandLineTool.command("repository", "run", "--listen", "127.0.0.1:0",
                "--data", testbed.folder("repository").toString()));
        // READY repository http://127.0.0.1:41234
        String url = repository.awaitLine("READY repository", PATIENCE).split(" ")[2];
        Command.run(host.command(CommandLineTool.command("service", "push", "--repository", url,
                CommandLineTool.bundle("monitoring").toString())), null, PATIENCE);

        InetSocketAddress entry = new InetSocketAddress(testbed.nodeAddress(), Anep.PORT_DATA);
        LabProcess node = host.start("node", CommandLineTool.command("node", "run",
                "--listen", entry.getAddress().getHostAddress() + ":" + entry.getPort(), "--admin", "127.0.0.1:0",
                "--data", testbed.folder("node").toString(), "--repository", url, "--route", testbed.serverSubnet() + "=direct"));
        node.awaitLine("READY node", PATIENCE);
        testbed.sender().reach(entry);
        return new RelaySystem(RelayKind.TAMANOIR, entry, entry, Optional.of(new ProcessTree(node.pid())));
    }
}
