package org.tamanoir.benchmarks.content;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Delivery;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.collective.GroupMember;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;

/** A root and nodes beside it on loopback, and members of this process behind the nodes, who have joined one group. */
final class BarrierSite implements AutoCloseable {
    private static final String PACKETS = "tamanoir_collect_packets_total{";
    private static final String UP = "to=\"root\"";
    private static final String DOWN = "to=\"members\"";
    private static final long PATIENCE_SECONDS = 60;
    private static final long PACE_MILLIS = 3;

    private final Workbench workbench = new Workbench();
    private final TamanoirClient client = new TamanoirClient();
    private final ExecutorService programs = Executors.newCachedThreadPool();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<GroupMember> members = new ArrayList<>();
    private final NodeProcess root;

    /** Packets of one barrier, and how long it took. */
    record Cost(double up, double down, double millis) {
    }

    BarrierSite(int count, int size) throws Exception {
        try {
            InetSocketAddress address = FreePort.on("127.0.0.1");
            root = node("root", address, "");
            for (int i = 0; i < count; i++) {
                nodes.add(node("node" + i, FreePort.on("127.0.0.1"), "routes: {127.0.0.0/8: '127.0.0.1:" + address.getPort() + "'}\n"));
            }
            // The first members of a node load its classes, and a call of a service that takes a second is ended.
            join("warm", count);
            for (GroupMember each : members) {
                each.close();
            }
            members.clear();
            join("bench", size);
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Whoever fails first says why; the others would only wait for him. */
    private void join(String group, int size) throws Exception {
        ExecutorCompletionService<GroupMember> joining = new ExecutorCompletionService<>(programs);
        for (int i = 0; i < size; i++) {
            int rank = i;
            joining.submit(() -> GroupMember.join(client, new StreamRequest().via(nodes.get(rank % nodes.size()).address()).to(root.address()).delivery(Delivery.ANEP), group, 1, size, rank));
            Thread.sleep(PACE_MILLIS);
        }
        for (int i = 0; i < size; i++) {
            Future<GroupMember> next = joining.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new LabException(members.size() + " of " + size + " members have joined in " + PATIENCE_SECONDS + " s");
            }
            members.add(next.get());
        }
    }

    private NodeProcess node(String name, InetSocketAddress address, String routes) throws IOException {
        Path folder = workbench.folder(name);
        Path file = Files.writeString(folder.resolve("node.yaml"), "peers: [127.0.0.1]\nlimits: {streams-per-source: 5000}\n" + routes + "policies: {collect: {reaches: [127.0.0.1]}}\n");
        NodeProcess node = NodeProcess.start(workbench, "127.0.0.1:" + address.getPort(), folder.resolve("data"), "--config", file.toString());
        node.deploy(CommandLineTool.bundle("collect"));
        return node;
    }

    Cost barrier() throws Exception {
        double up = sum(nodes, UP);
        double down = sum(List.of(root), DOWN);
        long begin = System.nanoTime();
        List<Future<Void>> waiting = members.stream().map(member -> programs.<Void>submit(() -> {
            member.barrier();
            return null;
        })).toList();
        for (Future<Void> each : waiting) {
            each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        double millis = (System.nanoTime() - begin) / 1e6;
        return new Cost(sum(nodes, UP) - up, sum(List.of(root), DOWN) - down, millis);
    }

    private static double sum(List<NodeProcess> nodes, String to) {
        double[] each = nodes.stream().flatMap(node -> node.admin().text("/metrics").lines()).filter(line -> line.startsWith(PACKETS) && line.contains(to))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).toArray();
        if (each.length != nodes.size()) {
            throw new LabException(each.length + " of " + nodes.size() + " nodes say how many packets they have sent");
        }
        return Arrays.stream(each).sum();
    }

    @Override
    public void close() {
        members.forEach(GroupMember::close);
        programs.shutdownNow();
        client.close();
        workbench.close();
    }
}
