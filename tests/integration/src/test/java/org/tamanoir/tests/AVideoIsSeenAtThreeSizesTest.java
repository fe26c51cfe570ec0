package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.StreamParameter;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** Video of ffmpeg through a node with {@code transcode}: a channel at three sizes while an encoder is killed, a file, what is no video, an array. ffprobe and zfp look at what comes. */
class AVideoIsSeenAtThreeSizesTest {
    private static final int TYPE = 0x540F;
    private static final int FRAMES_A_SECOND = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;
    private Grid grid;
    private NodeProgram node;
    private TcpServer echo;

    @BeforeEach
    void start() throws Exception {
        for (List<String> needed : List.of(List.of("bwrap", "bubblewrap"), List.of("ffmpeg", "ffmpeg"), List.of("zfp", "zfp"))) {
            if (!LabRequirements.has(needed.get(0))) {
                Assumptions.assumeTrue(LabRequirements.check().root(), needed + " is missing: apt-get install bubblewrap ffmpeg zfp");
                DebianPackages.require(needed.get(0), needed.get(1));
            }
        }
        grid = Grid.withRepository();
        Path file = Files.writeString(directory.resolve("node.yaml"), "policies: {transcode: {workers: {programs: [ffmpeg, zfp], count: 4}}}\nroutes: {127.0.0.0/8: direct}\n");
        node = new NodeProgram(directory.resolve("data"), "--config", file.toString(), "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
        node.admin().put("/bundles", Grid.bundle("transcode"));
        echo = TcpServer.echo();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : new AutoCloseable[] {node, echo, grid}) {
            if (each != null) {
                each.close();
            }
        }
    }

    private static PacketOptions asking(PacketOptions options, String... asked) {
        return options.parameters(Arrays.stream(asked).map(each -> new StreamParameter(TYPE, each.split("=")[0], each.split("=", 2)[1])).toList());
    }

    private AnepPeer atNode(String... asked) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, asking(AnepPeer.to(node.address().getPort(), Delivery.ANEP), asked)));
    }

    private AnepPeer throughNode(String... asked) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, asking(AnepPeer.to(echo.port(), Delivery.RAW), asked)));
    }

    private static List<String> video(int height, int seconds, String... before) {
        return Command.append(Command.append(List.of("ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error"), before), "-f", "lavfi", "-i",
                "testsrc=size=" + height * 16 / 9 + "x" + height + ":rate=" + FRAMES_A_SECOND + ":duration=" + seconds, "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency",
                "-force_key_frames", "expr:gte(t,n_forced)", "-f", "mpegts", "pipe:1");
    }

    private byte[] made(List<String> command) throws IOException {
        Process ffmpeg = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        return ffmpeg.getInputStream().readAllBytes();
    }

    /** All that comes back, until the end or an error, which is put behind it. */
    private static CompletableFuture<byte[]> all(AnepPeer peer, ByteArrayOutputStream into) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                    if (packet.typeId() != TYPE) {
                        throw new IllegalStateException(packet.options().error().text());
                    }
                    byte[] octets = new byte[packet.payloadLength()];
                    packet.payload().getBytes(packet.payload().readerIndex(), octets);
                    into.writeBytes(octets);
                }
                return into.toByteArray();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void sendAll(AnepPeer peer, InputStream from) throws IOException {
        byte[] piece = new byte[20_000];
        for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
            peer.send(AnepPeer.data(TYPE, Arrays.copyOf(piece, length)));
        }
        peer.finish();
    }

    /** Height, frames, whether the first of them is a key frame, and whether their times go forward. */
    private record Seen(int height, int frames, boolean beginsWithKey, boolean goesForward) {
    }

    private Seen look(byte[] video) throws IOException {
        Path file = Files.write(Files.createTempFile(directory, "seen", ".ts"), video);
        List<String> probe = List.of("ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "csv=p=0");
        String height = Command.run(Command.append(probe, "-show_entries", "stream=height", file.toString())).output().strip().lines().findFirst().orElse("0");
        List<Long> times = Command.run(Command.append(probe, "-show_entries", "packet=pts", file.toString())).output().lines().map(line -> line.replaceAll("[^0-9]", ""))
                .filter(line -> !line.isEmpty()).map(Long::valueOf).toList();
        List<String> frames = Command.run(Command.append(probe, "-show_entries", "frame=key_frame", file.toString())).output().lines().filter(line -> !line.isBlank()).toList();
        return new Seen(Integer.parseInt(height.replaceAll("[^0-9]", "")), frames.size(), !frames.isEmpty() && frames.get(0).startsWith("1"), times.stream().sorted().distinct().toList().equals(times));
    }

    /** The encoder of one size: the process that is ffmpeg, and not those that make its sandbox. */
    private static List<Long> encoders(int height) throws IOException {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    String command = Files.readString(process.resolve("cmdline"));
                    if (command.split("\0")[0].endsWith("ffmpeg") && command.contains("scale=-2:" + height)) {
                        found.add(Long.parseLong(process.getFileName().toString()));
                    }
                } catch (IOException e) {
                    // It has ended meanwhile.
                    continue;
                }
            }
        }
        return found;
    }

    @Test
    void aChannelIsSeenAtThreeSizesAndAnEncoderThatIsKilledCostsItsOwnSizeASecondOrTwo() throws Exception {
        int seconds = 6;
        Process camera = new ProcessBuilder(video(288, seconds, "-re")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (AnepPeer source = atNode("channel=tv", "role=publish"); InputStream pictures = camera.getInputStream()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    sendAll(source, pictures);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            await().atMost(PATIENCE).until(() -> node.admin().json("/services/transcode/inspect/channels").has("tv"));
            ByteArrayOutputStream small = new ByteArrayOutputStream();
            try (AnepPeer plain = atNode("channel=tv", "size=pass"); AnepPeer middle = atNode("channel=tv", "size=144p@300k"); AnepPeer least = atNode("channel=tv", "size=96p")) {
                CompletableFuture<byte[]> plainly = all(plain, new ByteArrayOutputStream());
                CompletableFuture<byte[]> middling = all(middle, new ByteArrayOutputStream());
                CompletableFuture<byte[]> smally = all(least, small);
                await().atMost(PATIENCE).until(() -> small.size() > 20_000 && encoders(96).size() == 1);
                try (AnepPeer late = atNode("channel=tv", "size=144p@300k")) {
                    CompletableFuture<byte[]> lately = all(late, new ByteArrayOutputStream());
                    long killed = encoders(96).get(0);
                    assertThat(new ProcessBuilder("kill", "-9", Long.toString(killed)).start().waitFor()).isZero();
                    int before = small.size();
                    await("another encoder follows").atMost(PATIENCE).until(() -> small.size() > before + 10_000);
                    assertThat(encoders(96)).hasSize(1).doesNotContain(killed);
                    assertThat(encoders(144)).as("two viewers of a size share an encoder").hasSize(1);
                    sending.get(60, TimeUnit.SECONDS);
                    Seen full = look(plainly.get(20, TimeUnit.SECONDS));
                    Seen half = look(middling.get(20, TimeUnit.SECONDS));
                    Seen third = look(smally.get(20, TimeUnit.SECONDS));
                    Seen joined = look(lately.get(20, TimeUnit.SECONDS));
                    assertThat(List.of(full.height, half.height, third.height, joined.height)).containsExactly(288, 144, 96, 144);
                    assertThat(List.of(full, half, third, joined)).allMatch(Seen::beginsWithKey).allMatch(Seen::goesForward);
                    // They have joined within the first second or so, and lose nothing from there on.
                    assertThat(full.frames).isBetween((seconds - 3) * FRAMES_A_SECOND, seconds * FRAMES_A_SECOND);
                    assertThat(half.frames).as("the other size is untouched").isBetween(full.frames - FRAMES_A_SECOND, full.frames);
                    assertThat(third.frames).as("two seconds are lost, and more come").isBetween(FRAMES_A_SECOND, half.frames - 1);
                    assertThat(joined.frames).isBetween(FRAMES_A_SECOND, half.frames);
                }
            }
        } finally {
            camera.destroyForcibly();
        }
        await().atMost(PATIENCE).until(() -> encoders(96).isEmpty() && encoders(144).isEmpty());
    }

    @Test
    @Tag("long")
    void aFileHasEveryFrameWhatIsNoVideoIsSaidSoAndAnArrayComesBack() throws Exception {
        byte[] film = made(video(288, 2));
        try (AnepPeer good = throughNode("size=120p"); AnepPeer noise = throughNode("size=120p"); AnepPeer cut = throughNode("size=120p"); AnepPeer live = throughNode("size=120p", "live=true")) {
            CompletableFuture<byte[]> seen = all(good, new ByteArrayOutputStream());
            byte[] random = new byte[300_000];
            new Random(1).nextBytes(random);
            noise.send(AnepPeer.data(TYPE, Arrays.copyOf(random, 60_000))).send(AnepPeer.data(TYPE, Arrays.copyOfRange(random, 60_000, 120_000))).finish();
            assertThat(all(noise, new ByteArrayOutputStream())).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("ffmpeg").withMessageContaining("status");
            for (int i = 0; i < 5; i++) {
                live.send(AnepPeer.data(TYPE, Arrays.copyOfRange(random, i * 60_000, (i + 1) * 60_000)));
            }
            assertThat(all(live, new ByteArrayOutputStream())).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("no MPEG transport stream");
            sendAll(good, new ByteArrayInputStream(film));
            assertThat(look(seen.get(30, TimeUnit.SECONDS))).isEqualTo(new Seen(120, 2 * FRAMES_A_SECOND, true, true));
            sendAll(cut, new ByteArrayInputStream(film, 0, film.length * 2 / 3));
            assertThat(look(all(cut, new ByteArrayOutputStream()).get(30, TimeUnit.SECONDS)).frames).as("half a film is half a film").isBetween(10, 2 * FRAMES_A_SECOND - 1);
        }
        anArray();
    }

    private void anArray() throws Exception {
        ByteBuffer values = ByteBuffer.allocate(64 * 64 * 8 * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; values.hasRemaining(); i++) {
            values.putDouble(Math.sin(i * 0.01) * 100);
        }
        byte[] packed;
        try (AnepPeer packs = throughNode("array=f64:64x64x8", "zfp=accuracy:1e-3")) {
            CompletableFuture<byte[]> small = all(packs, new ByteArrayOutputStream());
            sendAll(packs, new ByteArrayInputStream(values.array()));
            packed = small.get(30, TimeUnit.SECONDS);
        }
        assertThat(packed.length).isBetween(100, values.capacity() / 2);
        assertThat(new String(packed, 0, 3, UTF_8)).isEqualTo("zfp");
        try (AnepPeer restores = throughNode("array=restore")) {
            CompletableFuture<byte[]> whole = all(restores, new ByteArrayOutputStream());
            sendAll(restores, new ByteArrayInputStream(packed));
            ByteBuffer back = ByteBuffer.wrap(whole.get(30, TimeUnit.SECONDS)).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(back.remaining()).isEqualTo(values.capacity());
            for (int at = 0; at < values.capacity(); at += Double.BYTES) {
                assertThat(back.getDouble(at)).isCloseTo(values.getDouble(at), offset(1e-3));
            }
        }
    }
}
