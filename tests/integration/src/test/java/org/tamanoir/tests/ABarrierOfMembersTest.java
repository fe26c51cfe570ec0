package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.collective.GroupFailedException;
import org.tamanoir.client.collective.GroupMember;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Frames;
import org.tamanoir.collective.Ranks;
import org.tamanoir.collective.Reduction;
import org.tamanoir.collective.Signature;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** Four nodes as processes, a tree, and 16 members: all operations; a member is killed in a barrier, and a node. */
@TestInstance(Lifecycle.PER_CLASS)
class ABarrierOfMembersTest {
    private static final int TYPE = 0x540E;
    private static final int SIZE = 16;
    /** The node above each: the first is the root. */
    private static final int[] ABOVE = {-1, 0, 1, 0};
    /** Nodes that members are beside. */
    private static final int[] BESIDE = {1, 2, 3};

    private static final Path CLIENT = Path.of("../../clients/python").toAbsolutePath().normalize();

    @TempDir
    private static Path directory;
    private Grid grid;
    private final List<Integer> ports = new ArrayList<>();
    private final List<NodeProgram> nodes = new ArrayList<>();
    private TamanoirClient client;
    private final ExecutorService programs = Executors.newCachedThreadPool();

    @BeforeAll
    void start() throws Exception {
        grid = Grid.withRepository();
        grid.push(Grid.bundle("collect"));
        for (int i = 0; i < ABOVE.length; i++) {
            ports.add(FreePort.onLoopback());
        }
        List<CompletableFuture<NodeProgram>> starting = IntStream.range(0, ABOVE.length).mapToObj(i -> CompletableFuture.supplyAsync(() -> node(i))).toList();
        starting.forEach(node -> nodes.add(node.join()));
        // A stream to the node itself does not bring the service.
        nodes.get(0).admin().put("/bundles", Grid.bundle("collect"));
    }

    private NodeProgram node(int index) {
        String route = index == 0 ? "" : "routes: {127.0.0.0/8: '127.0.0.1:" + ports.get(ABOVE[index]) + "'}\n";
        Path file = directory.resolve("node" + index + ".yaml");
        try {
            Files.writeString(file, "peers: [127.0.0.1]\n" + route + "services: {collect: {patience: 3s}}\npolicies: {collect: {reaches: [127.0.0.1]}}\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new NodeProgram(directory.resolve("data" + index), "--config", file.toString(), "--listen", "127.0.0.1:" + ports.get(index), "--repository", grid.repository().url());
    }

    @BeforeEach
    void open() {
        client = new TamanoirClient();
    }

    @AfterEach
    void close() {
        client.close();
    }

    @AfterAll
    void stop() throws Exception {
        programs.shutdownNow();
        nodes.forEach(NodeProgram::close);
        grid.close();
    }

    private GroupMember member(String group, long epoch, int size, int rank) {
        try {
            return GroupMember.join(client, new StreamRequest().via(nodes.get(BESIDE[rank % BESIDE.length]).address()).to(nodes.get(0).address()).delivery(Delivery.ANEP), group, epoch,
                    size, rank);
        } catch (InterruptedException e) {
            throw new AnepException(ErrorCode.STOPPING, "interrupted", e);
        }
    }

    @Test
    void programsInPythonAndScriptsAreMembersToo() throws Exception {
        String root = "127.0.0.1:" + ports.get(0);
        try (LabProcess python = LabProcess.start("python", List.of("env", "PYTHONPATH=" + CLIENT, "TAMANOIR_COLLECT=127.0.0.1:" + ports.get(2) + " " + root, "python3", "-m", "unittest",
                "discover", "-s", CLIENT.resolve("tests/streams").toString(), "-p", "test_collective.py"))) {
            List<LabProcess> scripts = IntStream.range(0, 2).mapToObj(rank -> LabProcess.start("collect" + rank, CommandLineTool.command("collect", "sum", "--via",
                    "127.0.0.1:" + ports.get(1 + rank), "--to", root, "--group", "script", "--rank", "" + rank, "--size", "2", "1.5", "" + rank))).toList();
            for (LabProcess script : scripts) {
                assertThat(script.awaitExit(Duration.ofSeconds(30))).as(script.errors()).isZero();
                assertThat(script.output().lines()).containsExactly("3", "1");
                script.close();
            }
            assertThat(python.awaitExit(Duration.ofSeconds(60))).as(python.errors()).isZero();
        }
    }

    private List<GroupMember> members(String group, long epoch, int size) {
        List<Future<GroupMember>> joining = IntStream.range(0, size).mapToObj(rank -> programs.submit(() -> member(group, epoch, size, rank))).toList();
        return joining.stream().map(ABarrierOfMembersTest::got).toList();
    }

    private static <T> T got(Future<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** What a member does; its rank is given. */
    private interface Work<T> {
        T with(GroupMember member, int rank) throws Exception;
    }

    private <T> List<Future<T>> begin(List<GroupMember> members, Work<T> work) {
        return IntStream.range(0, members.size()).mapToObj(rank -> programs.submit(() -> work.with(members.get(rank), rank))).toList();
    }

    private <T> List<T> all(List<GroupMember> members, Work<T> work) {
        return begin(members, work).stream().map(ABarrierOfMembersTest::got).toList();
    }

    @Test
    void allOperationsGiveWhatTheyShouldThroughFourNodes() throws Exception {
        List<GroupMember> members = members("all", 1, SIZE);
        all(members, (member, rank) -> {
            member.barrier();
            return rank;
        });
        double[] ones = DoubleStream.iterate(0, each -> each + 1).limit(131_072).toArray();
        all(members, (member, rank) -> member.allReduce(Reduction.SUM, ones)).forEach(sums -> assertThat(sums).isEqualTo(Arrays.stream(ones).map(each -> each * SIZE).toArray()));
        all(members, (member, rank) -> member.allReduce(Reduction.MAX, new long[] {rank, -rank})).forEach(most -> assertThat(most).containsExactly(SIZE - 1, 0));
        byte[] file = new byte[3_000_000];
        new Random(7).nextBytes(file);
        all(members, (member, rank) -> member.broadcast(5, rank == 5 ? file : null)).forEach(octets -> assertThat(Arrays.equals(octets, file)).isTrue());
        List<Map<Integer, byte[]>> gathered = all(members, (member, rank) -> member.gather(3, ("rank " + rank).getBytes(UTF_8)));
        assertThat(gathered.get(3)).hasSize(SIZE).hasEntrySatisfying(11, octets -> assertThat(octets).asString().isEqualTo("rank 11"));
        assertThat(gathered.get(4)).isEmpty();
        all(members, (member, rank) -> member.gather(Signature.ALL, new byte[100_000 + rank]))
                .forEach(everything -> IntStream.range(0, SIZE).forEach(rank -> assertThat(everything.get(rank)).hasSize(100_000 + rank)));
        all(members, (member, rank) -> member.run(Signature.top(3), ByteBuffer.allocate(16).putDouble(rank).putLong(100 + rank).array()).octets())
                .forEach(top -> assertThat(ByteBuffer.wrap(top).getLong(8)).isEqualTo(115));
        all(members, (member, rank) -> {
            ByteBuffer values = ByteBuffer.allocate(80_000);
            LongStream.range(0, 10_000).forEach(each -> values.putDouble(each * SIZE + rank));
            return member.run(Signature.quantiles(), values.array()).octets();
        }).forEach(quantiles -> {
            assertThat(ByteBuffer.wrap(quantiles).getLong()).isEqualTo(160_000);
            assertThat(ByteBuffer.wrap(quantiles).getDouble(16 + 50 * 8)).isBetween(76_000.0, 84_000.0);
        });
        members.get(2).askForCut();
        Thread.sleep(300);
        all(members, (member, rank) -> {
            member.barrier();
            assertThat(member.isCut()).isTrue();
            member.saved();
            return member.awaitSafe(9);
        }).forEach(safe -> assertThat(safe).isEqualTo(9));
        all(members, (member, rank) -> {
            member.leave();
            return rank;
        });
    }

    private static GroupFailedException failure(Future<?> future) {
        try {
            Object got = future.get(20, TimeUnit.SECONDS);
            throw new AssertionError("it was told " + got);
        } catch (java.util.concurrent.ExecutionException e) {
            return (GroupFailedException) e.getCause();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoeverIsKilledInABarrierIsNamedToAllOthers() {
        List<GroupMember> members = members("killed", 1, SIZE);
        List<Future<Object>> waiting = begin(members, (member, rank) -> {
            if (rank != 7) {
                member.barrier();
            }
            return rank;
        });
        long begin = System.nanoTime();
        members.get(7).close();
        for (int rank = 0; rank < SIZE; rank++) {
            if (rank != 7) {
                GroupFailedException failed = failure(waiting.get(rank));
                assertThat(failed.code()).isEqualTo(ErrorCode.CONNECTION_LOST);
                assertThat(failed.missing()).isEqualTo(Ranks.of(7));
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("at once, and not after the patience of the nodes").isLessThan(Duration.ofMillis(2500));
        // Those who remain make the next epoch; one who is silent is found too.
        List<GroupMember> remain = members("killed", 2, SIZE - 1);
        List<Future<Object>> again = begin(remain, (member, rank) -> {
            if (rank != 4) {
                member.barrier();
            }
            return rank;
        });
        for (int rank = 0; rank < SIZE - 1; rank++) {
            if (rank != 4) {
                GroupFailedException failed = failure(again.get(rank));
                assertThat(failed.code()).isEqualTo(ErrorCode.IDLE_TIMEOUT);
                assertThat(failed.missing()).isEqualTo(Ranks.of(4));
            }
        }
    }

    @Test
    void aNodeThatIsKilledTakesThoseBehindItAndNobodyWaits() {
        List<GroupMember> members = members("node", 1, SIZE);
        List<GroupMember> others = members("others", 1, 4);
        List<Future<Object>> waiting = begin(members, (member, rank) -> {
            if (rank != 0) {
                member.barrier();
            }
            return rank;
        });
        nodes.get(3).kill();
        Ranks behind = Ranks.of(IntStream.range(0, SIZE).filter(rank -> rank % 3 == 2).toArray());
        for (int rank = 1; rank < SIZE; rank++) {
            if (behind.contains(rank)) {
                int gone = rank;
                assertThatThrownBy(() -> waiting.get(gone).get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(AnepException.class);
            } else {
                assertThat(failure(waiting.get(rank)).missing()).as("rank %d", rank).isEqualTo(behind);
            }
        }
        assertThat(failure(programs.submit(() -> {
            others.get(0).barrier();
            return null;
        })).missing()).isEqualTo(Ranks.of(2));
        nodes.set(3, node(3));
    }

    @Test
    void whatIsWrongCostsItsOwnStream() throws Exception {
        List<GroupMember> members = members("well", 1, 3);
        for (byte[] octets : List.of("nonsense".getBytes(UTF_8), new byte[] {0, 0, 0, 1, 99}, new byte[] {0x7F, 0, 0, 0}, new byte[] {0, 0, 0, 1, 8}, ByteBufUtil.getBytes(frame(new Frame.Leave())))) {
            refused(octets, ErrorCode.BAD_CONTENT);
        }
        refused(ByteBufUtil.getBytes(frame(new Frame.Join(false, 1, 3, "well", Ranks.of(1)))), ErrorCode.SERVICE_REFUSED);
        refused(ByteBufUtil.getBytes(frame(new Frame.Join(false, 1, 60_000, "large", Ranks.of(1)))), ErrorCode.SERVICE_LIMIT);
        all(members, (member, rank) -> {
            member.barrier();
            return rank;
        });
    }

    private static ByteBuf frame(Frame frame) {
        ByteBuf octets = Unpooled.buffer();
        Frames.write(frame, octets);
        return octets;
    }

    private void refused(byte[] octets, ErrorCode code) throws IOException {
        try (AnepPeer peer = new AnepPeer(nodes.get(1).address()).send(AnepPeer.opening(TYPE, AnepPeer.to(ports.get(0), Delivery.ANEP)))) {
            assertThat(peer.send(AnepPeer.data(TYPE, octets)).refusal()).isEqualTo(code);
        }
    }
}
