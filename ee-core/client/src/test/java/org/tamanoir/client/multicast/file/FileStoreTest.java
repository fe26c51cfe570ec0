package org.tamanoir.client.multicast.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileMarks;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

class FileStoreTest {
    private static final long SESSION = 0xfeedL;
    private static final int STRIDE = 16 + Sent.PACKET;

    @TempDir
    private Path top;
    private Path input;
    private Path output;
    private Sent sent;
    private final List<AnepException> answers = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<FileStore> stores = new ArrayList<>();

    @BeforeEach
    void files() throws Exception {
        input = Files.createDirectories(top.resolve("in/tree"));
        output = top.resolve("out");
        byte[] octets = new byte[3210];
        new Random(1).nextBytes(octets);
        Files.write(input.resolve("first"), octets);
        Files.write(input.resolve("empty"), new byte[0]);
        Files.write(Files.createDirectory(input.resolve("deep")).resolve("second"), "second".getBytes());
        sent = new Sent(SESSION, input);
    }

    @AfterEach
    void close() {
        stores.forEach(FileStore::close);
        sent.close();
    }

    private FileStore store(boolean overwrite, long instance) {
        FileStore store = new FileStore(new FileStore.Options(output, "me", new InetSocketAddress("239.1.2.3", 5405), Sent.SECRET, instance, overwrite),
                Runnable::run, answers::add, notices::add);
        stores.add(store);
        return store;
    }

    private void put(FileStore store, long index) {
        ByteBuf body = sent.body(index);
        store.put(index, body);
        body.release();
    }

    private void putAll(FileStore store, PacketSet there) {
        for (long i = sent.packets() - 1; i >= 0; i--) {
            if (!there.contains(i)) {
                put(store, i);
            }
        }
    }

    private void assertArrived() throws IOException {
        assertThat(answers).containsExactly((AnepException) null);
        for (String name : List.of("first", "empty", "deep/second")) {
            assertThat(output.resolve("tree").resolve(name)).hasSameBinaryContentAs(input.resolve(name));
        }
        try (Stream<Path> all = Files.list(output)) {
            assertThat(all.map(Path::getFileName).map(Path::toString)).containsExactly("tree");
        }
    }

    @Test
    void packetsInAnyOrderBecomeTheFilesAndAreThereForRepairs() throws Exception {
        FileStore store = store(false, 9);
        putAll(store, store.open(SESSION, sent.terms));
        assertThat(store.manifest()).isEqualTo(sent.content.manifest());
        store.check(sent.digest);
        assertArrived();
        for (long index : new long[] {0, 7, sent.packets() - 1}) {
            ByteBuf kept = store.get(index);
            assertThat(kept).isEqualTo(sent.body(index));
            kept.release();
        }
    }

    @Test
    void filesKeepTheirPermissionsAndTheirTime() throws Exception {
        Files.setPosixFilePermissions(input.resolve("first"), PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setPosixFilePermissions(input.resolve("empty"), PosixFilePermissions.fromString("r--r-----"));
        FileTime time = FileTime.from(1_234_567_890_123_456_789L, TimeUnit.NANOSECONDS);
        Files.setLastModifiedTime(input.resolve("first"), time);
        sent.close();
        sent = new Sent(SESSION, input);
        FileStore store = store(false, 9);
        putAll(store, store.open(SESSION, sent.terms));
        store.check(sent.digest);
        assertArrived();
        Path first = output.resolve("tree/first");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first))).isEqualTo("rwxr-x--x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(output.resolve("tree/empty")))).isEqualTo("r--r-----");
        assertThat(Files.getLastModifiedTime(first)).isEqualTo(time);
    }

    /** Whatever a source says: no program of somebody else's rights, and nothing that its receiver cannot read. */
    @ParameterizedTest
    @CsvSource({"4095, rwxrwxrwx", "0, r--------", "2541, rwxr-xr-x", "-1, rwxrwxrwx"})
    void permissionsOfASourceNeverLendRights(int mode, String permissions) throws Exception {
        Path file = Files.writeString(top.resolve("made"), "x");
        FileMarks.put(file, mode, null);
        assertThat((int) Files.getAttribute(file, "unix:mode") & 07000).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo(permissions);
    }

    @Test
    void anotherRunGoesOnWithWhatIsThereAndWhole() throws Exception {
        FileStore killed = store(false, 9);
        killed.open(SESSION, sent.terms);
        for (long i = 0; i < sent.packets(); i += 2) {
            put(killed, i);
        }
        killed.close();
        Path packets = killed.folder().resolve("packets");
        try (RandomAccessFile file = new RandomAccessFile(packets.toFile(), "rw")) {
            file.seek(4L * STRIDE + 50);
            int octet = file.read();
            file.seek(4L * STRIDE + 50);
            file.write(octet ^ 1);
            // What a kill in the middle of a write leaves: a tag, and a part of the content.
            ByteBuf half = sent.body(7);
            file.seek(7L * STRIDE);
            half.readBytes(file.getChannel(), 60);
        }
        FileStore again = store(false, 10);
        assertThat(again.instance()).isEqualTo(9);
        PacketSet there = again.open(SESSION, sent.terms);
        for (long i = 0; i < sent.packets(); i++) {
            assertThat(there.contains(i)).as("packet %d", i).isEqualTo(i % 2 == 0 && i != 4);
        }
        putAll(again, there);
        again.check(sent.digest);
        assertArrived();
    }

    @Test
    void packetsOfAnotherSecretAreNotGoneOnWith() {
        FileStore first = store(false, 9);
        putAll(first, first.open(SESSION, sent.terms));
        first.close();
        FileStore other = new FileStore(new FileStore.Options(output, "me", new InetSocketAddress("239.1.2.3", 5405), new byte[] {9}, 1, false),
                Runnable::run, answers::add, notices::add);
        stores.add(other);
        assertThat(other.open(SESSION, sent.terms).count()).isZero();
    }

    @Test
    void whatTheDiskChangedAfterItWasWrittenIsFoundAndFetchedAgain() throws Exception {
        FileStore store = store(false, 9);
        putAll(store, store.open(SESSION, sent.terms));
        try (FileChannel packets = FileChannel.open(store.folder().resolve("packets"), StandardOpenOption.WRITE)) {
            packets.write(ByteBuffer.wrap(new byte[1]), 9L * STRIDE + 77);
        }
        store.check(sent.digest);
        assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.NOT_IDENTICAL));
        assertThat(output.resolve("tree")).doesNotExist();
        store.close();
        answers.clear();
        FileStore again = store(false, 10);
        PacketSet there = again.open(SESSION, sent.terms);
        assertThat(there.firstMissing()).isEqualTo(9);
        assertThat(there.count()).isEqualTo(sent.packets() - 1);
        putAll(again, there);
        again.check(sent.digest);
        assertArrived();
    }

    @Test
    void aContentThatIsNotWhatTheSourceSaysIsNeverPutInPlace() {
        FileStore store = store(false, 9);
        putAll(store, store.open(SESSION, sent.terms));
        store.check(new byte[32]);
        assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.NOT_IDENTICAL));
        assertThat(output).isEmptyDirectory();
    }

    @Test
    void filesThatAreThereAreSaidAtOnceAndReplacedOnlyWhenAsked() throws Exception {
        Files.createDirectories(output.resolve("tree"));
        Files.writeString(output.resolve("tree/first"), "precious");
        FileStore careful = store(false, 9);
        PacketSet there = careful.open(SESSION, sent.terms);
        assertThatThrownBy(() -> {
            for (long i = 0; i < 5; i++) {
                put(careful, i);
            }
        }).as("with the first packets").hasMessageStartingWith("EE-409 ").hasMessageContaining("tree/first");
        careful.close();
        assertThat(output.resolve("tree/first")).hasContent("precious");
        FileStore bold = store(true, 9);
        there = bold.open(SESSION, sent.terms);
        putAll(bold, there);
        bold.check(sent.digest);
        assertArrived();
    }

    @Test
    void aRunThatEndedBetweenTwoFilesIsFinishedByTheNext() throws Exception {
        FileStore killed = store(false, 9);
        putAll(killed, killed.open(SESSION, sent.terms));
        killed.close();
        Files.createDirectories(output.resolve("tree"));
        Files.copy(input.resolve("first"), output.resolve("tree/first"));
        FileStore again = store(false, 9);
        assertThat(again.open(SESSION, sent.terms).isComplete()).isTrue();
        again.check(sent.digest);
        assertArrived();
    }

    /** A source that has the secret and means harm. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"files\":[{\"name\":\"../evil\",\"size\":3}]}", "{\"files\":[{\"name\":\"/tmp/evil\",\"size\":3}]}", "{}",
        "{\"files\":[{\"name\":\".tamanoir-000000000000feed/packets\",\"size\":3}]}", "no JSON"})
    void aListOfFilesThatLeadsElsewhereIsRefusedWithItsFirstPackets(String json) throws Exception {
        byte[] octets = json.getBytes(StandardCharsets.UTF_8);
        ByteBuf content = Unpooled.buffer().writeInt(octets.length).writeBytes(octets).writeBytes("bad".getBytes());
        SessionTerms terms = new SessionTerms(sent.terms.group(), 0, 1, 1000, 0, false, 1);
        ByteBuf body = Unpooled.buffer();
        SessionKey.of(Sent.SECRET, SESSION, 1).data(SESSION, 0, content, body);
        FileStore store = store(true, 9);
        store.open(SESSION, terms);
        assertThatThrownBy(() -> store.put(0, body)).hasMessageStartingWith("EE-108 ");
        store.check(new byte[32]);
        assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
        try (Stream<Path> all = Files.walk(top)) {
            assertThat(all.map(Path::getFileName).map(Path::toString)).doesNotContain("evil").filteredOn("packets"::equals).hasSize(1);
        }
    }

    /** The SHA-256 is right, the sizes are not. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aContentThatIsNotAsLongAsItsListSaysIsRefused(int size) throws Exception {
        byte[] octets = ("{\"files\":[{\"name\":\"a\",\"size\":" + size + "}]}").getBytes(StandardCharsets.UTF_8);
        ByteBuf content = Unpooled.buffer().writeInt(octets.length).writeBytes(octets).writeBytes("bad".getBytes());
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(content.array(), content.readableBytes()));
        ByteBuf body = Unpooled.buffer();
        SessionKey.of(Sent.SECRET, SESSION, 1).data(SESSION, 0, content, body);
        FileStore store = store(true, 9);
        store.open(SESSION, new SessionTerms(sent.terms.group(), 0, 1, 1000, 0, false, 1));
        store.put(0, body);
        store.check(digest);
        assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
        assertThat(output.resolve("a")).doesNotExist();
    }

    /** The first run cannot put a file into its place; the session is over when there is room for it. */
    @Test
    void aRunThatHadEverythingIsFinishedWithoutItsSource() throws Exception {
        FileStore first = store(false, 9);
        assertThat(first.canFinish()).isFalse();
        putAll(first, first.open(SESSION, sent.terms));
        Files.createDirectories(output.resolve("tree/first"));
        first.check(sent.digest);
        assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.code()).isEqualTo(ErrorCode.STORAGE));
        first.close();
        Files.delete(output.resolve("tree/first"));
        answers.clear();
        FileStore again = store(false, 10);
        assertThat(again.canFinish()).isTrue();
        assertThat(again.finish().have()).isEqualTo(sent.packets());
        answers.add(null);
        assertArrived();
    }

    @Test
    void aRunThatHadEverythingIsNotFinishedWithWhatTheDiskHasChanged() throws Exception {
        FileStore first = store(false, 9);
        putAll(first, first.open(SESSION, sent.terms));
        Files.createDirectories(output.resolve("tree/first"));
        first.check(sent.digest);
        first.close();
        Files.delete(output.resolve("tree/first"));
        try (FileChannel packets = FileChannel.open(first.folder().resolve("packets"), StandardOpenOption.WRITE)) {
            packets.write(ByteBuffer.wrap(new byte[1]), 9L * STRIDE + 77);
        }
        assertThatThrownBy(store(false, 10)::finish).hasMessageStartingWith("EE-505 ").hasMessageContaining("1 packets");
        stores.forEach(FileStore::close);
        FileStore again = store(false, 11);
        assertThat(again.canFinish()).as("it looks for the session again").isFalse();
        assertThat(again.open(SESSION, sent.terms).firstMissing()).isEqualTo(9);
    }

    @Test
    void twoReceiversDoNotShareAFolder() {
        store(false, 9).open(SESSION, sent.terms);
        assertThatThrownBy(() -> store(false, 10)).hasMessageStartingWith("EE-503 ");
        FileStore other = new FileStore(new FileStore.Options(output, "you", new InetSocketAddress("239.1.2.3", 5405), Sent.SECRET, 3, false),
                Runnable::run, answers::add, notices::add);
        assertThatThrownBy(() -> other.open(SESSION, sent.terms)).hasMessageStartingWith("EE-503 ").hasMessageContaining("'me'");
    }

    @Test
    void theFolderOfAnotherSessionStaysAWeek() throws Exception {
        FileStore old = store(false, 9);
        old.open(SESSION, sent.terms);
        old.close();
        Path packets = old.folder().resolve("packets");
        Files.setLastModifiedTime(packets, FileTime.from(Instant.now().minus(Duration.ofDays(6))));
        store(false, 9);
        assertThat(old.folder()).isDirectory();
        Files.setLastModifiedTime(packets, FileTime.from(Instant.now().minus(Duration.ofDays(8))));
        notices.clear();
        store(false, 9);
        assertThat(old.folder()).doesNotExist();
        assertThat(notices).singleElement().asString().contains("removed").contains(old.folder().toString());
    }
}
