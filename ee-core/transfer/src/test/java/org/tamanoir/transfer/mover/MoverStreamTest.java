package org.tamanoir.transfer.mover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;

/** What a mover answers to whatever octets come, written by hand. */
@Tag("seeded")
@Timeout(60)
class MoverStreamTest {
    private static final String HELLO = "{\"is\":\"hello\",\"version\":1,\"copy\":\"c\",\"token\":\"secret\"}";
    private static final String STAMP = "\"stamp\":{\"size\":4,\"modified\":5,\"mode\":420}";

    @TempDir
    private Path root;
    private Mover mover;
    private TamanoirClient client;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(root.resolve("file"), "text");
        mover = Mover.open(new MoverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), root, "secret", false, 8, MoverOptions.MEMORY));
        client = new TamanoirClient();
    }

    /** Wrong: anything that stays of a stream: memory, a file, a copy. */
    @AfterEach
    void stop() {
        client.close();
        await().untilAsserted(() -> assertThat(mover.status().streams()).isZero());
        assertThat(mover.status().copies()).isZero();
        mover.close();
    }

    private static byte[] frame(String head, byte[] body) {
        byte[] json = head.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(16 + json.length + body.length).putInt(json.length).putInt(body.length);
        CRC32C sum = new CRC32C();
        sum.update(frame.duplicate().flip());
        sum.update(json);
        frame.putInt((int) sum.getValue()).put(json).put(body);
        sum.reset();
        sum.update(body);
        if (body.length > 0) {
            frame.putInt((int) sum.getValue());
        }
        byte[] octets = new byte[frame.position()];
        frame.flip().get(octets);
        return octets;
    }

    /** All that comes back, as text, until the mover ends the stream. */
    private String answers(byte[]... frames) throws InterruptedException {
        StringBuilder all = new StringBuilder();
        try (ClientStream stream = client.open(new StreamRequest().via(mover.address()).to(mover.address()).services("forward"))) {
            for (byte[] frame : frames) {
                stream.send(frame);
            }
            stream.finish();
            for (ByteBuf octets = stream.receive(); octets != null; octets = stream.receive()) {
                all.append(octets.toString(StandardCharsets.ISO_8859_1));
                octets.release();
            }
        } catch (AnepException e) {
            all.append(e.getMessage());
        }
        return all.toString();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource(delimiter = '|', value = {
        "{\"is\":\"look\",\"path\":\"\",\"deep\":true} | 408",
        "{\"is\":\"hello\",\"version\":1,\"copy\":\"c\",\"token\":\"other\"} | 406",
        "{\"is\":\"hello\",\"version\":1,\"copy\":\"c\",\"token\":\"\"} | 406",
        "{\"is\":\"hello\",\"version\":2,\"copy\":\"c\",\"token\":\"secret\"} | 408",
        "{\"is\":\"hello\",\"version\":1,\"copy\":\"\",\"token\":\"secret\"} | 408",
        "{\"is\":\"hello\",\"version\":1,\"copy\":null,\"token\":\"secret\"} | 408",
        "{\"is\":\"hello\"} | 408", "{\"is\":\"what\"} | 408", "[] | 408", "null | 408", "{{ | 408"})
    void aStrangerIsToldAndGetsNothing(String first, int code) throws Exception {
        assertThat(answers(frame(first, new byte[0]), frame("{\"is\":\"look\",\"path\":\"\",\"deep\":true}", new byte[0]))).contains("EE-" + code).doesNotContain("file");
    }

    /** A copy does not wait for the answer to its hello. Wrong: a connection that is reset over what nobody has read, and takes the reason with it. */
    @Test
    @Tag("long")
    void whoSendsOnHearsWhyItIsRefused() throws Exception {
        byte[] put = frame("{\"is\":\"put\",\"path\":\"new\"," + STAMP + ",\"sparse\":false}", new byte[1 << 20]);
        byte[][] frames = Stream.concat(Stream.of(frame(HELLO.replace("secret", "other"), new byte[0])), Stream.generate(() -> put).limit(16)).toArray(byte[][]::new);
        for (int i = 0; i < 20; i++) {
            assertThat(answers(frames)).contains("EE-406");
        }
        assertThat(root.resolve("new")).doesNotExist();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource(delimiter = '|', value = {
        "{\"is\":\"read\",\"path\":\"../etc/passwd\",STAMP,\"extent\":{\"offset\":0,\"length\":4}} | 108",
        "{\"is\":\"read\",\"path\":\"/etc/passwd\",STAMP,\"extent\":{\"offset\":0,\"length\":4}} | 108",
        "{\"is\":\"read\",\"path\":\"none\",STAMP,\"extent\":{\"offset\":0,\"length\":4}} | 407",
        "{\"is\":\"read\",\"path\":\"file\",STAMP,\"extent\":{\"offset\":0,\"length\":4}} | 752",
        "{\"is\":\"begin\",\"path\":\"new\",STAMP,\"piece\":1} | 408",
        "{\"is\":\"begin\",\"path\":\"a\\nb\",STAMP,\"piece\":65536} | 108",
        "{\"is\":\"begin\",\"path\":\".tamanoir-x.part\",STAMP,\"piece\":65536} | 108",
        "{\"is\":\"commit\",\"path\":\"new\",STAMP,\"sha256\":\"\"} | 408",
        "{\"is\":\"write\",\"path\":\"new\",STAMP,\"offset\":2,\"sparse\":false} | 408",
        "{\"is\":\"put\",\"path\":\"new\",STAMP,\"sparse\":false} | 408",
        "{\"is\":\"put\",\"path\":\"new\",STAMP,\"sparse\":true} | 408",
        "{\"is\":\"hello\",\"version\":1,\"copy\":\"c\",\"token\":\"secret\"} | 408",
        "{\"is\":\"fetch\"} | 408",
        "{\"is\":\"stripe\",\"path\":\"new\",STAMP,\"inode\":1,\"offset\":0,\"sparse\":false} | 409",
        "{\"is\":\"stripe\",\"path\":\"../new\",STAMP,\"inode\":1,\"offset\":0,\"sparse\":false} | 108",
        "{\"is\":\"enter\",\"path\":\"new\",STAMP,\"inode\":1,\"extent\":{\"offset\":0,\"length\":3},\"crc\":0,\"adler\":0} | 409",
        "{\"is\":\"attach\"} | 408",
        "{\"is\":\"pull\",\"from\":\"x\",\"path\":\"new\",STAMP,\"inode\":1,\"extent\":{\"offset\":0,\"length\":3},\"small\":false} | 408",
        "{\"is\":\"done\"} | 408"})
    void whatCannotBeIsRefusedAndTheStreamGoesOn(String request, int code) throws Exception {
        String said = answers(frame(HELLO, new byte[0]), frame(request.replace("STAMP", STAMP), new byte[] {1, 2, 3}), frame("{\"is\":\"look\",\"path\":\"file\",\"deep\":false}", new byte[0]));
        assertThat(said).contains("\"code\":" + code).contains("\"entries\"");
    }

    /** EE-751: an extent that has changed is said and not written, a head that has changed ends the stream. */
    @Test
    @Tag("long")
    void whatHasChangedOnItsWayIsNotTaken() throws Exception {
        byte[] put = frame("{\"is\":\"put\",\"path\":\"new\"," + STAMP + ",\"sparse\":false}", "four".getBytes(StandardCharsets.UTF_8));
        put[put.length - 5] ^= 1;
        byte[] good = frame("{\"is\":\"put\",\"path\":\"good\"," + STAMP + ",\"sparse\":false}", "four".getBytes(StandardCharsets.UTF_8));
        assertThat(answers(frame(HELLO, new byte[0]), put, good)).contains("\"code\":751");
        assertThat(root.resolve("new")).doesNotExist();
        assertThat(root.resolve("good")).hasContent("four");
        byte[] look = frame("{\"is\":\"look\",\"path\":\"file\",\"deep\":false}", new byte[0]);
        look[14] ^= 1;
        assertThat(answers(frame(HELLO, new byte[0]), look, good)).contains("EE-751").doesNotContain("\"entries\"");
    }

    /** Wrong: octets that come into the memory in which others are being written. */
    @Test
    void aStreamThatPullsSendsNothingItself() throws Exception {
        String attach = "{\"mover\":\"127.0.0.1:" + mover.address().getPort() + "\",\"via\":[],\"services\":[\"forward\"],\"token\":\"secret\"}";
        byte[] put = frame("{\"is\":\"put\",\"path\":\"new\"," + STAMP + ",\"sparse\":false}", "four".getBytes(StandardCharsets.UTF_8));
        String said = answers(frame(HELLO, new byte[0]), frame("{\"is\":\"attach\"}", attach.getBytes(StandardCharsets.UTF_8)), put);
        assertThat(said).contains("EE-408").contains("sends no octets");
        assertThat(root.resolve("new")).doesNotExist();
    }

    /** The words of a fetch, as they are written. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource(delimiter = '|', value = {
        "SOURCES:[\"tam://127.0.0.1:1/x\"],TO:\"tam://127.0.0.1:1/y\",EXTENT:65536 | 204",
        "SOURCES:[\"tam://127.0.0.1:1/x\"],TO:\"tam://127.0.0.1:1/../y\",EXTENT:65536 | 108",
        "SOURCES:[\"tam://127.0.0.1:1/x\"],TO:\"/etc/passwd\",EXTENT:65536 | 408",
        "SOURCES:[\"/etc/passwd\"],TO:\"tam://127.0.0.1:1/y\",EXTENT:65536 | 408",
        "SOURCES:[],TO:\"tam://127.0.0.1:1/y\",EXTENT:65536 | 408",
        "SOURCES:[\"tam://127.0.0.1:1/x\"],TO:\"tam://127.0.0.1:1/y\",EXTENT:1 | 408",
        "SOURCES:[\"tam://127.0.0.1:1/x\",\"tam://127.0.0.1:2/x\"],TO:\"tam://127.0.0.1:1/y\",EXTENT:65536 | 408"})
    void whatNobodyCanFetchIsSaid(String order, int code) throws Exception {
        String json = "{" + order.replace("SOURCES", "\"sources\"").replace("TO:", "\"destination\":").replace("EXTENT", "\"extent\"")
                + ",\"push\":false,\"via\":[],\"services\":[\"forward\"],\"token\":\"\",\"ownToken\":\"\",\"streams\":2,\"include\":[],\"exclude\":[],\"update\":false,\"sha256\":false,\"rate\":0,\"patienceMillis\":100}";
        assertThat(waited(frame(HELLO, new byte[0]), frame("{\"is\":\"fetch\"}", json.getBytes(StandardCharsets.UTF_8)))).contains("\"code\":" + code);
        await().untilAsserted(() -> assertThat(mover.status().fetches()).isZero());
    }

    /** What comes back until a failure does: the stream stays open, which a fetch ends with. */
    private String waited(byte[]... frames) throws InterruptedException {
        StringBuilder all = new StringBuilder();
        try (ClientStream stream = client.open(new StreamRequest().via(mover.address()).to(mover.address()).services("forward"))) {
            for (byte[] frame : frames) {
                stream.send(frame);
            }
            for (ByteBuf octets = stream.receive(); octets != null; octets = stream.receive()) {
                all.append(octets.toString(StandardCharsets.ISO_8859_1));
                octets.release();
                if (all.indexOf("\"code\"") >= 0) {
                    break;
                }
            }
        }
        return all.toString();
    }

    /** Wrong: memory for what nobody has sent yet, and a mover that another one cannot use any more. */
    @Test
    @Tag("long")
    void noise() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            if (random.nextBoolean() && noise.length > 8) {
                ByteBuffer.wrap(noise).putInt(2 + random.nextInt(noise.length)).putInt(random.nextInt() >>> random.nextInt(32));
            }
            answers(i % 2 == 0 ? new byte[0] : frame(HELLO, new byte[0]), noise);
        }
        assertThat(answers(frame(HELLO, new byte[0]), frame("{\"is\":\"look\",\"path\":\"file\",\"deep\":false}", new byte[0]))).contains("\"entries\"");
    }
}
