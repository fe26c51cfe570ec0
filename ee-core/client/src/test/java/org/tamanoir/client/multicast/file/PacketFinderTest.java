package org.tamanoir.client.multicast.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.Leaks;
import org.tamanoir.client.multicast.file.FileStore.Finds;
import org.tamanoir.client.multicast.file.FileStore.Found;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.SessionKey;

/** What a receiver finds with itself of what a session sends: nothing that is not so, and all that is there. */
@ExtendWith(Leaks.class)
class PacketFinderTest {
    @TempDir
    private Path top;

    /** A receiver's run over one session, and what it was told. */
    private final class Run implements Finds, AutoCloseable {
        private final List<AnepException> answers = new ArrayList<>();
        private final Map<Long, ByteBuf> found = new TreeMap<>();
        private final List<Boolean> said = new ArrayList<>();
        private final CountDownLatch looked = new CountDownLatch(1);
        private final Sent sent;
        private final FileStore store;
        private final PacketSet there;

        Run(Sent sent, Path output) {
            this.sent = sent;
            store = new FileStore(new FileStore.Options(output, "me", new InetSocketAddress("239.1.2.3", 5405), Sent.SECRET, 9, true), Runnable::run,
                    answers::add, notice -> { });
            store.lookFor(this);
            there = store.open(sent.session, sent.terms);
        }

        @Override
        public synchronized void looking(long session, boolean more) {
            said.add(more);
            if (!more) {
                looked.countDown();
            }
        }

        @Override
        public synchronized boolean found(long session, List<Found> packets) {
            packets.forEach(packet -> found.put(packet.index(), packet.body()));
            return true;
        }

        /** The first packets come, and it looks. */
        void look() throws InterruptedException {
            for (long index = 0; index < sent.content.head(); index++) {
                put(index);
            }
            assertThat(looked.await(20, TimeUnit.SECONDS)).isTrue();
        }

        void put(long index) {
            put(index, sent.body(index));
        }

        void put(long index, ByteBuf body) {
            if (!there.contains(index)) {
                store.put(index, body);
                there.add(index);
            }
        }

        void putAll() {
            found.forEach(this::put);
            for (long index = 0; index < sent.packets(); index++) {
                put(index);
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static Path write(Path directory, String name, byte[] octets) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, octets);
    }

    private static byte[] draw(SplittableRandom random) {
        byte[] octets = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(3_000)];
        random.nextBytes(octets);
        return octets;
    }

    /** Files are in their place, changed, missing; an earlier session had some of them, in packets of another size, of which some came. */
    @Test
    @Tag("seeded")
    @Tag("long")
    void whatIsFoundIsWhatIsSentAndNothingOfItIsMissed() throws Exception {
        for (long seed = 0; seed < 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Path base = top.resolve("seed-" + seed);
            Path output = Files.createDirectories(base.resolve("out"));
            int files = random.nextInt(1, 12);
            boolean allKnown = true;
            double part = random.nextInt(3) / 2.0;
            for (int i = 0; i < files; i++) {
                byte[] octets = draw(random);
                write(base, "new/tree/f" + i, octets);
                int fate = random.nextInt(4);
                if (fate == 0) {
                    write(base, "old/tree/" + random.nextInt(100) + "f" + i, octets);
                    allKnown &= part == 1;
                } else if (fate == 1 && octets.length > 0) {
                    octets[random.nextInt(octets.length)]++;
                    write(output, "tree/f" + i, octets);
                    allKnown = false;
                } else if (fate == 2) {
                    write(output, "tree/f" + i, octets);
                } else {
                    allKnown &= octets.length == 0;
                }
            }
            if (Files.exists(base.resolve("old"))) {
                try (Sent old = new Sent(1, random.nextInt(20, 300), base.resolve("old/tree")); Run run = new Run(old, output)) {
                    for (long index = 0; index < old.packets(); index++) {
                        if (index < old.content.head() || random.nextDouble() < part) {
                            run.put(index);
                        }
                    }
                }
            }
            try (Sent sent = new Sent(2, random.nextInt(20, 300), base.resolve("new/tree")); Run run = new Run(sent, output)) {
                run.look();
                run.found.forEach((index, body) -> assertThat(body).as("packet %d", index).isEqualTo(sent.body(index)));
                if (allKnown) {
                    assertThat(run.found.size() + sent.content.head()).as("seed %d", seed).isEqualTo(sent.packets());
                }
                run.putAll();
                run.store.check(sent.digest);
                assertThat(run.answers).as("seed %d", seed).containsExactly((AnepException) null);
                for (int i = 0; i < files; i++) {
                    assertThat(output.resolve("tree/f" + i)).hasSameBinaryContentAs(base.resolve("new/tree/f" + i));
                }
            }
        }
    }

    @Test
    void whereNothingIsNothingIsLookedFor() throws Exception {
        Path file = write(top, "in/file", new byte[5_000]);
        try (Sent sent = new Sent(2, file); Run run = new Run(sent, top.resolve("out"))) {
            run.look();
            assertThat(run.said).as("it is said at once that it holds nothing").containsExactly(false);
        }
    }

    @Test
    void aPartWhoseFilesHaveAllArrivedIsRemovedAndAnotherOneStays() throws Exception {
        Path file = write(top, "in/file", new byte[5_000]);
        Path other = write(top, "in/other", new byte[6_000]);
        Path output = top.resolve("out");
        for (Path each : List.of(file, other)) {
            try (Sent old = new Sent(each == file ? 1 : 3, each); Run run = new Run(old, output)) {
                for (long index = 0; index < old.packets() / 2; index++) {
                    run.put(index);
                }
            }
        }
        try (Sent sent = new Sent(2, file); Run run = new Run(sent, output)) {
            run.look();
            assertThat(run.found.size()).isGreaterThan(10);
            run.putAll();
            run.store.check(sent.digest);
            assertThat(run.answers).containsExactly((AnepException) null);
        }
        try (Stream<Path> left = Files.list(output)) {
            assertThat(left.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("file", ".tamanoir-0000000000000003");
        }
    }

    /** Its tags are true, as its source had the secret; what it says of its file is not. */
    @Test
    void aPartThatNamesAFileItDoesNotHaveIsFoundByTheWholeAndRemoved() throws Exception {
        byte[] octets = new byte[5_000];
        octets[4_000] = 1;
        Path file = write(top, "in/file", octets);
        Path false1 = write(top, "false/file", new byte[5_000]);
        Path output = top.resolve("out");
        try (Sent lie = new Sent(1, false1); Sent sent = new Sent(2, file); Run run = new Run(lie, output)) {
            ByteBuf content = Unpooled.buffer();
            for (long index = 0; index < lie.packets(); index++) {
                ByteBuf packet = lie.content.read(index);
                content.writeBytes(packet);
                packet.release();
            }
            String text = content.toString(StandardCharsets.ISO_8859_1).replace(lie.content.manifest().files().get(0).sha256(),
                    sent.content.manifest().files().get(0).sha256());
            SessionKey key = SessionKey.of(Sent.SECRET, 1, lie.terms.salt());
            for (int index = 0; index < lie.packets(); index++) {
                ByteBuf body = Unpooled.buffer();
                String part = text.substring(index * Sent.PACKET, Math.min(text.length(), (index + 1) * Sent.PACKET));
                key.data(1, lie.terms.sequence(index), Unpooled.copiedBuffer(part, StandardCharsets.ISO_8859_1), body);
                run.put(index, body);
            }
        }
        try (Sent sent = new Sent(2, file); Run run = new Run(sent, output)) {
            run.look();
            run.putAll();
            run.store.check(sent.digest);
            assertThat(run.answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.NOT_IDENTICAL));
        }
        assertThat(output).as("the next run does without it").isEmptyDirectory();
    }
}
