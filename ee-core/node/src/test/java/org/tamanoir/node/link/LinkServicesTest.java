package org.tamanoir.node.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.link.LinkCounters.Drop;
import org.tamanoir.node.link.LinkRig.Host;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.Links;

@Timeout(60)
class LinkServicesTest {
    /** Who has seen what: by stream id the thread, and by id and sender the sequence numbers in the order in which they came. */
    private static final class Log {
        private final Map<Long, Set<Thread>> threads = new ConcurrentHashMap<>();
        private final Map<String, List<Long>> sequences = new ConcurrentHashMap<>();
        private final AtomicInteger seen = new AtomicInteger();

        LinkHandler handler() {
            return (packet, from) -> {
                threads.computeIfAbsent(packet.streamId(), unused -> ConcurrentHashMap.newKeySet()).add(Thread.currentThread());
                sequences.computeIfAbsent(packet.streamId() + " of " + from, unused -> Collections.synchronizedList(new ArrayList<>()))
                        .add(packet.sequence());
                seen.incrementAndGet();
            };
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"4, false", "1, false", "4, true"})
    void aStreamIdHasOneHandlerAndASendersOrderIsKept(int threads, boolean nio) throws Exception {
        int each = 200;
        List<Long> ids = List.of(1L, 2L, 3L, 0x5405_0000_0000_0001L, 0x5405_0000_0000_0002L, -1L);
        Log log = new Log();
        try (LinkRig rig = new LinkRig(threads, nio, LinkSettings.NONE)) {
            rig.run("1.0.0", links -> log.handler());
            List<Host> hosts = new ArrayList<>();
            try {
                for (int i = 0; i < 6; i++) {
                    hosts.add(new Host());
                }
                for (int sequence = 0; sequence < each; sequence++) {
                    for (Host host : hosts) {
                        for (long id : ids) {
                            host.send(rig.address, LinkRig.packet(id, sequence, "x"));
                        }
                    }
                    // A round ahead and no more: what the kernel keeps of one socket is not much.
                    int before = sequence * hosts.size() * ids.size();
                    await().pollInterval(Duration.ofMillis(1)).until(() -> log.seen.get() >= before);
                }
                await().atMost(Duration.ofSeconds(20)).until(() -> log.seen.get() == each * hosts.size() * ids.size());
            } finally {
                hosts.forEach(Host::close);
            }
            assertThat(log.threads).hasSize(ids.size());
            Set<Thread> used = new HashSet<>();
            log.threads.forEach((id, of) -> {
                assertThat(of).as("threads of stream %x", id).hasSize(1);
                used.addAll(of);
            });
            assertThat(used.size()).as("threads in use").isBetween(Math.min(2, rig.loops.size()), rig.loops.size());
            log.sequences.forEach((stream, sequence) -> assertThat(sequence).as(stream).hasSize(each).isSorted());
        }
    }

    @Test
    void aDatagramWithoutAStreamIdComesToEveryHandlerOnce() throws Exception {
        Map<Thread, AtomicInteger> seen = new ConcurrentHashMap<>();
        try (LinkRig rig = new LinkRig(3, false, LinkSettings.NONE); Host host = new Host()) {
            rig.run("1.0.0", links -> (packet, from) -> seen.computeIfAbsent(Thread.currentThread(), unused -> new AtomicInteger()).incrementAndGet());
            host.send(rig.address, LinkRig.packet(0, 0, "to all"));
            await().until(() -> seen.size() == 3);
            assertThat(seen.values()).allMatch(count -> count.get() == 1);
        }
    }

    /** What comes up on another loop waits in bounded room, and what waits is shown in order when the handler is back. */
    @ParameterizedTest
    @CsvSource({"10, 10000, 8192", "60000, 100, 69"})
    void whatWaitsForAHandlerIsBounded(int octets, int sent, int most) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Long> seen = Collections.synchronizedList(new ArrayList<>());
        try (LinkRig rig = new LinkRig(2, false, LinkSettings.NONE)) {
            rig.run("1.0.0", links -> (packet, from) -> {
                if (seen.isEmpty()) {
                    inside.countDown();
                    awaitDeaf(go);
                }
                seen.add(packet.sequence());
            });
            long id = 1;
            LinkLoop other = rig.loops.get(1 - LinkLoop.slotOf(id, 2));
            InetSocketAddress from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
            String word = "x".repeat(octets - 28 < 0 ? 1 : octets - 28);
            other.leg().loop().submit(() -> offer(other, id, 0, "first", from)).sync();
            inside.await();
            other.leg().loop().submit(() -> {
                for (int i = 1; i <= sent; i++) {
                    offer(other, id, i, word, from);
                }
            }).sync();
            assertThat(rig.dropped(Drop.NO_ROOM)).isEqualTo(sent - most);
            go.countDown();
            await().until(() -> seen.size() == most + 1);
            assertThat(seen).isSorted();
            assertThat(rig.links.counters().in().sum()).isEqualTo(sent + 1L);
        }
    }

    private static void offer(LinkLoop loop, long id, long sequence, String word, InetSocketAddress from) {
        ByteBuf packet = LinkRig.packet(id, sequence, word);
        loop.datagram(Packet.of(packet), from);
        loop.readComplete();
        packet.release();
    }

    /** Waits whatever the watch does. */
    private static void awaitDeaf(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The handler that was is told once, none of its timers runs and none of its datagrams leaves; and its version can go. */
    @Test
    @Tag("long")
    void anUpgradeClosesTheHandlerOfTheVersionBefore() throws Exception {
        AtomicInteger ticks = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger late = new AtomicInteger();
        List<Boolean> sentAtTheEnd = Collections.synchronizedList(new ArrayList<>());
        try (LinkRig rig = new LinkRig(1, false, LinkSettings.NONE); Host host = new Host()) {
            RunningService first = rig.run("1.0.0", links -> new LinkHandler() {
                {
                    tick();
                }

                private void tick() {
                    ticks.incrementAndGet();
                    links.later(Duration.ofMillis(5), this::tick);
                }

                @Override
                public void onPacket(Packet packet, InetSocketAddress from) {
                    links.send(LinkRig.packet(packet.streamId(), 0, "one"), from);
                    links.later(Duration.ofMillis(1500), late::incrementAndGet);
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                    sentAtTheEnd.add(links.send(LinkRig.packet(1, 0, "late"), host.address()));
                }
            });
            host.send(rig.address, LinkRig.packet(1, 0, "?"));
            assertThat(LinkRig.word(host.receive())).isEqualTo("one");
            await().until(() -> ticks.get() > 3);
            assertThat(first.retire()).as("retired with an open handler").isFalse();
            assertThat(first.streams()).as("a handler is no stream").isZero();

            rig.run("2.0.0", links -> (packet, from) -> links.send(LinkRig.packet(packet.streamId(), 0, "two"), from));
            await().until(first::retire);
            int last = ticks.get();
            host.send(rig.address, LinkRig.packet(1, 1, "?"));
            assertThat(LinkRig.word(host.receive())).isEqualTo("two");
            Thread.sleep(2000);
            assertThat(ticks.get()).isEqualTo(last);
            assertThat(late.get()).as("a timer that was set before").isZero();
            assertThat(closed.get()).isEqualTo(1);
            assertThat(sentAtTheEnd).containsExactly(false);
        }
    }

    /** What a handler throws costs its datagram; a defect counts against the service, what it refuses with a code does not. */
    @Test
    void aHandlerThatThrowsCostsItsDatagramOnly() throws Exception {
        AtomicInteger trips = new AtomicInteger();
        try (LinkRig rig = new LinkRig(1, false, LinkSettings.NONE); Host host = new Host()) {
            RunningService service = rig.run("1.0.0", links -> (packet, from) -> {
                switch (LinkRig.word(packet)) {
                    case "bug" -> throw new AssertionError("on purpose");
                    case "bad" -> throw new AnepException(ErrorCode.BAD_CONTENT, "on purpose");
                    case "sleep" -> Thread.sleep(60_000);
                    default -> links.send(LinkRig.packet(1, packet.sequence(), "fine"), from);
                }
            });
            service.watchedBy((failed, why) -> { }, tripped -> trips.incrementAndGet());
            for (int i = 0; i < 30; i++) {
                host.send(rig.address, LinkRig.packet(1, i, "bad"));
            }
            for (int i = 0; i < 8; i++) {
                host.send(rig.address, LinkRig.packet(1, i, "bug"));
            }
            host.send(rig.address, LinkRig.packet(1, 77, "ask"));
            assertThat(host.receive().sequence()).isEqualTo(77);
            assertThat(trips.get()).isZero();
            assertThat(rig.dropped(Drop.SERVICE_FAILED)).isEqualTo(38);
            host.send(rig.address, LinkRig.packet(1, 0, "sleep"));
            host.send(rig.address, LinkRig.packet(1, 78, "ask"));
            assertThat(host.receive().sequence()).isEqualTo(78);
            assertThat(trips.get()).isZero();
            host.send(rig.address, LinkRig.packet(1, 0, "bug"));
            host.send(rig.address, LinkRig.packet(1, 79, "ask"));
            assertThat(host.receive().sequence()).isEqualTo(79);
            assertThat(trips.get()).as("ten defects: eight errors, a call that did not return, and an error").isEqualTo(1);
        }
    }

    @Test
    void aHandlerThatDoesNotOpenIsTriedAgainWithTheNextDatagram() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        try (LinkRig rig = new LinkRig(1, false, LinkSettings.NONE); Host host = new Host()) {
            rig.run("1.0.0", links -> {
                if (opened.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                return (packet, from) -> links.send(LinkRig.packet(1, packet.sequence(), "open"), from);
            });
            host.send(rig.address, LinkRig.packet(1, 1, "?"));
            host.send(rig.address, LinkRig.packet(1, 2, "?"));
            assertThat(host.receive().sequence()).isEqualTo(2);
            assertThat(rig.dropped(Drop.NO_HANDLER)).isEqualTo(1);
        }
    }

    /** One buffer to many hosts, without a copy, and the buffer comes back. */
    @Test
    void sendsOneBufferToManyFromTheNodesOwnAddress() throws Exception {
        List<Host> hosts = new ArrayList<>();
        List<ByteBuf> sent = Collections.synchronizedList(new ArrayList<>());
        try (LinkRig rig = new LinkRig(2, false, LinkSettings.NONE)) {
            for (int i = 0; i < 20; i++) {
                hosts.add(new Host());
            }
            rig.run("1.0.0", links -> (packet, from) -> {
                ByteBuf one = packet.retainedSlice();
                for (Host host : hosts) {
                    if (!links.send(one.retainedDuplicate(), host.address())) {
                        throw new IllegalStateException("not taken");
                    }
                }
                one.release();
                sent.add(one);
            });
            hosts.get(0).send(rig.address, LinkRig.packet(5, 6, "to all of you"));
            for (Host host : hosts) {
                assertThat(LinkRig.word(host.receive())).isEqualTo("to all of you");
            }
            assertThat(rig.links.counters().out().sum()).isEqualTo(20);
            await().until(() -> sent.size() == 1);
        } finally {
            hosts.forEach(Host::close);
        }
    }

    @Test
    void aHandlerHasSoManyTimersAndNoMore() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        try (LinkRig rig = new LinkRig(1, false, LinkSettings.NONE); Host host = new Host()) {
            rig.run("1.0.0", links -> (packet, from) -> {
                for (int i = 0; i < Links.MOST_TIMERS; i++) {
                    links.later(Duration.ofHours(1), () -> { });
                }
                try {
                    links.later(Duration.ZERO, () -> { });
                } catch (AnepException e) {
                    refused.set(e.code().number());
                }
            });
            host.send(rig.address, LinkRig.packet(1, 1, "?"));
            await().until(() -> refused.get() != 0);
            assertThat(refused.get()).isEqualTo(ErrorCode.SERVICE_LIMIT.number());
        }
    }
}
