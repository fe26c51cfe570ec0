package org.tamanoir.benchmarks.copy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.copy.LossPlan.Victim;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** A file, two nodes one behind the other, and a mover behind these, on loopback; what is killed is started again where it was. */
final class LossSite implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Not that of the first node: it would deliver there itself. */
    private static final String MOVER = "127.0.0.3";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Of a journal: its header, and a record of offset u64, length u32 and 12 octets more. */
    private static final int HEADER = 28;
    private static final int RECORD = 24;

    private final Workbench workbench = new Workbench();
    private final Path here = workbench.folder("here");
    private final Path far = workbench.folder("far");
    private final LossPlan plan;
    private final NodeProcess[] nodes = new NodeProcess[2];
    private final int moverPort;
    private final int statusPort;
    private LabProcess mover;

    LossSite(LossPlan plan) throws IOException {
        this.plan = plan;
        moverPort = FreePort.onLoopback();
        statusPort = FreePort.onLoopback();
        try {
            nodes[1] = node(1, "127.0.0.1:0", "direct");
            nodes[0] = node(0, "127.0.0.1:0", text(nodes[1].address()));
            for (NodeProcess node : nodes) {
                node.deploy(CommandLineTool.bundle(LossPlan.SERVICE));
            }
            mover = mover();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }

    private NodeProcess node(int number, String listen, String next) {
        return NodeProcess.start(workbench, listen, workbench.folder("node" + number), "--route", MOVER + "/32=" + next);
    }

    private LabProcess mover() {
        LabProcess started = workbench.start("mover", CommandLineTool.command("mover", "run", "--open", "--listen", MOVER + ":" + moverPort, "--root", far.toString(), "--status",
                "127.0.0.1:" + statusPort));
        started.awaitLine("READY mover ", PATIENCE);
        return started;
    }

    /** Where the file is. */
    Path source() {
        return here.resolve("file");
    }

    Path copied() {
        return far.resolve("file");
    }

    /** The command, always the same. */
    LabProcess copy() {
        List<String> words = new ArrayList<>(List.of("copy", "--json", "--via", text(nodes[0].address()), "--service", LossPlan.SERVICE));
        words.addAll(plan.options());
        words.addAll(List.of(source().toString(), "tam://" + MOVER + ":" + moverPort + "/file"));
        return workbench.start("copy", CommandLineTool.command(words.toArray(String[]::new)));
    }

    /** Kills somebody but the command, and starts it again. */
    void lose(Victim victim) {
        if (victim == Victim.MOVER) {
            mover.kill();
            mover = mover();
        } else {
            int number = victim == Victim.FIRST ? 0 : 1;
            String address = text(nodes[number].address());
            nodes[number].kill();
            nodes[number] = node(number, address, number == 1 ? "direct" : text(nodes[1].address()));
        }
    }

    /** Octets that have come to the mover since it was started. */
    long arrived() throws IOException {
        try (InputStream in = URI.create("http://127.0.0.1:" + statusPort + "/status").toURL().openStream()) {
            JsonNode status = MAPPER.readTree(in);
            return status.path("octets").asLong();
        }
    }

    /** Octets that the journal of the file says are on the disk. */
    long kept() throws IOException {
        try (FileChannel journal = FileChannel.open(far.resolve(".tamanoir-file.journal"))) {
            ByteBuffer all = ByteBuffer.allocate((int) journal.size());
            while (all.hasRemaining() && journal.read(all) >= 0) {
                // Until it ends.
            }
            all.flip();
            long octets = 0;
            for (int at = HEADER; at + RECORD <= all.limit(); at += RECORD) {
                octets += all.getInt(at + Long.BYTES);
            }
            return octets;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** Names at the destination. */
    List<String> left() throws IOException {
        try (var names = Files.list(far)) {
            return names.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Has nothing at the destination, for the next copy. */
    void clear() throws IOException {
        for (String name : left()) {
            Files.delete(far.resolve(name));
        }
    }

    @Override
    public void close() {
        workbench.close();
    }
}
