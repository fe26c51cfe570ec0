package org.tamanoir.services.transcode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.testkit.RecordedWorkers.Started;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** The service, with a test in the place of ffmpeg. */
class TranscodeTest {
    private static final Duration SOON = Duration.ofMillis(1);
    private static final byte[] VIDEO = TransportStreamTest.vector("h264.ts");
    private static final int SECOND_KEY = 17_108;
    private static final int THIRD_KEY = 33_088;

    private ServiceHarness harness;

    private void start(Map<String, ?> options) throws Exception {
        harness = ServiceHarness.start(new Transcode(), options);
    }

    @AfterEach
    void stop() {
        if (harness != null) {
            harness.close();
        }
    }

    private StreamHarness publish(String channel) throws Exception {
        return harness.stream(Position.ONLY).endsHere().parameter("channel", channel).parameter("role", "publish").open();
    }

    private StreamHarness view(String channel, String size) throws Exception {
        return harness.stream(Position.ONLY).endsHere().parameter("channel", channel).parameter("size", size).open();
    }

    private static byte[] octets(List<Packet> packets) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        packets.forEach(packet -> {
            byte[] one = new byte[packet.payloadLength()];
            packet.payload().getBytes(packet.payload().readerIndex(), one);
            all.writeBytes(one);
        });
        return all.toByteArray();
    }

    private static byte[] part(int from, int to) {
        return Arrays.copyOfRange(VIDEO, from, to);
    }

    /** What a stream has sent back since it was asked last. */
    private static byte[] seen(StreamHarness viewer) throws Exception {
        return octets(viewer.advance(SOON).toSource());
    }

    private static byte[] went(StreamHarness stream) throws Exception {
        return octets(stream.advance(SOON).toDestination());
    }

    @Test
    void aFileGoesThroughAProgramOctetForOctetAndTheySlowEachOtherDown() throws Exception {
        start(Map.of());
        StreamHarness stream = harness.stream(Position.INGRESS).parameter("size", "360p@600k").open();
        stream.toDestination(new byte[0]);
        assertThat(harness.workers().all()).as("nothing runs for a stream without payload").isEmpty();
        stream.toDestination("film".getBytes(US_ASCII));
        Started ffmpeg = harness.workers().only();
        assertThat(ffmpeg.program().name()).isEqualTo("ffmpeg");
        assertThat(ffmpeg.program().arguments()).containsSequence("-vf", "scale=-2:360").doesNotContain("low_delay");
        assertThat(ffmpeg.given()).isEqualTo("film".getBytes(US_ASCII));
        ffmpeg.room(false);
        stream.toDestination(new byte[10]);
        assertThat(stream.isSourcePaused()).isTrue();
        ffmpeg.room(true);
        stream.advance(SOON);
        assertThat(stream.isSourcePaused()).isFalse();
        stream.writable(false);
        ffmpeg.says(new byte[100_000]);
        assertThat(octets(stream.advance(SOON).toDestination())).hasSize(100_000);
        assertThat(ffmpeg.isPaused()).isTrue();
        stream.writable(true);
        stream.room();
        assertThat(ffmpeg.isPaused()).isFalse();
        stream.end();
        assertThat(ffmpeg.isFinished()).isTrue();
        assertThat(stream.hasEnded()).isFalse();
        ffmpeg.says("end".getBytes(US_ASCII)).exits(0);
        assertThat(went(stream)).isEqualTo("end".getBytes(US_ASCII));
        assertThat(stream.hasEnded()).isTrue();
    }

    @Test
    void aFileEndsWithItsProgramAndPassesOnlyWhereNoneCouldBeStarted() throws Exception {
        start(Map.of("on-failure", "bypass"));
        StreamHarness failed = harness.stream(Position.INGRESS).parameter("size", "360p").open();
        failed.toDestination("no film".getBytes(US_ASCII));
        harness.workers().only().exits(1);
        assertThatThrownBy(() -> failed.advance(SOON)).hasMessageContaining("EE-319");
        harness.workers().problemIs("ffmpeg is not allowed");
        StreamHarness passes = harness.stream(Position.INGRESS).parameter("size", "360p").open();
        assertThat(octets(passes.toDestination("as it is".getBytes(US_ASCII)).onward())).isEqualTo("as it is".getBytes(US_ASCII));
        harness.close();
        start(Map.of());
        harness.workers().problemIs("ffmpeg is not allowed");
        StreamHarness refused = harness.stream(Position.INGRESS).parameter("size", "360p").open();
        assertThatThrownBy(() -> refused.toDestination(new byte[1])).hasMessageContaining("EE-216");
    }

    @Test
    void whoDecidesAndWhere() throws Exception {
        start(Map.of("ladder", "to 10.0.9.0/24 = 240p", "most-height", 480));
        InetSocketAddress narrow = new InetSocketAddress("10.0.9.1", 5004);
        harness.stream(Position.TRANSIT).destination(narrow).open().toDestination(new byte[1]);
        assertThat(harness.workers().last().program().arguments()).as("the ladder of this node").contains("scale=-2:240");
        harness.stream(Position.INGRESS).destination(narrow).parameter("size", "pass").open().toDestination(new byte[1]);
        harness.stream(Position.EGRESS).destination(narrow).parameter("size", "120p").open().toDestination(new byte[1]);
        harness.stream(Position.INGRESS).destination(new InetSocketAddress("10.0.8.1", 5004)).open().toDestination(new byte[1]);
        harness.stream(Position.INGRESS).transport(Transport.UDP).destination(narrow).open().toDestination(new byte[1]);
        assertThat(harness.workers().all()).as("what asks for a size gets it at the first node, and others pass").hasSize(1);
        harness.stream(Position.INGRESS).parameter("array", "f64:8").open().toDestination(new byte[64]);
        assertThat(harness.workers().last().program().name()).isEqualTo("zfp");
        for (Map<String, String> wrong : List.of(Map.of("size", "720p"), Map.of("size", "360p -y /x"), Map.of("array", "f64"), Map.of("array", "f64:8", "zfp", "-o"), Map.of("live", "perhaps"))) {
            assertThatThrownBy(() -> {
                var setup = harness.stream(Position.INGRESS);
                wrong.forEach(setup::parameter);
                setup.open();
            }).as("%s", wrong).hasMessageStartingWith("EE-110 ");
        }
        assertThatThrownBy(() -> harness.stream(Position.INGRESS).transport(Transport.UDP).parameter("size", "240p").open()).hasMessageStartingWith("EE-318 ");
        assertThatThrownBy(() -> harness.stream(Position.INGRESS).parameter("channel", "tv").open()).hasMessageStartingWith("EE-318 ");
    }

    @Test
    void viewersOfOneSizeShareAnEncoderAndBeginAtAKeyFrameBehindTheTables() throws Exception {
        start(Map.of());
        StreamHarness source = publish("tv");
        StreamHarness one = view("tv", "360p");
        StreamHarness plain = view("tv", "pass");
        source.toDestination(part(0, 10_000));
        Started ffmpeg = harness.workers().only();
        assertThat(ffmpeg.program().arguments()).contains("low_delay", "scale=-2:360");
        assertThat(ffmpeg.given()).as("tables, and the first key frame behind them").hasSize(10_000 - 10_000 % 188 - 564 + 376);
        byte[] first = seen(plain);
        assertThat(Arrays.copyOfRange(first, 376, first.length)).isEqualTo(part(564, 10_000 - 10_000 % 188));
        StreamHarness two = view("tv", "360p");
        assertThat(harness.workers().all()).hasSize(1);
        ffmpeg.says(part(0, 20_000));
        assertThat(seen(one)).hasSize(20_000 - 20_000 % 188 - 564 + 376);
        assertThat(seen(two)).hasSize(20_000 - 20_000 % 188 - 564 + 376);
        StreamHarness late = view("tv", "360p@600k");
        ffmpeg.says(part(20_000, 40_000));
        byte[] joined = seen(late);
        assertThat(joined).as("the third key frame").hasSize(40_000 - 40_000 % 188 - THIRD_KEY + 376);
        assertThat(Arrays.copyOfRange(joined, 376, 376 + 188)).isEqualTo(part(THIRD_KEY, THIRD_KEY + 188));
        assertThat(harness.inspect("channels", Map.of()).get("tv").toString()).contains("receivers=4", "size=360p@600k", "encodes");
        source.end();
        assertThat(ffmpeg.isFinished()).isTrue();
        ffmpeg.says(part(40_000, VIDEO.length)).exits(0);
        assertThat(seen(one)).as("what came meanwhile, and the end").isEqualTo(part(20_000 - 20_000 % 188, VIDEO.length));
        for (StreamHarness viewer : List.of(one, two, late, plain)) {
            viewer.advance(SOON);
            assertThat(viewer.hasReturnEnded()).isTrue();
        }
    }

    @Test
    void aSlowViewerAndASlowEncoderLosePicturesAndKeepNobodyWaiting() throws Exception {
        start(Map.of());
        StreamHarness source = publish("tv");
        StreamHarness slow = view("tv", "pass");
        StreamHarness other = view("tv", "360p");
        slow.writable(false);
        source.toDestination(part(0, 10_000));
        int first = seen(slow).length;
        source.toDestination(part(10_000, 25_000));
        assertThat(seen(slow)).as("there is no room").isEmpty();
        slow.writable(true);
        slow.returnRoom();
        source.toDestination(part(25_000, 30_000));
        assertThat(seen(slow)).as("the next key frame is not there yet").isEmpty();
        Started ffmpeg = harness.workers().only();
        ffmpeg.given();
        ffmpeg.room(false);
        source.toDestination(part(30_000, 32_000));
        assertThat(ffmpeg.given()).isEmpty();
        ffmpeg.room(true);
        source.toDestination(part(32_000, 40_000));
        byte[] again = seen(slow);
        assertThat(first).isPositive();
        assertThat(Arrays.copyOfRange(again, 376, 564)).isEqualTo(part(THIRD_KEY, THIRD_KEY + 188));
        assertThat(Arrays.copyOfRange(ffmpeg.given(), 376, 564)).isEqualTo(part(THIRD_KEY, THIRD_KEY + 188));
        assertThat(source.isSourcePaused()).isFalse();
        assertThat(harness.metrics().value("dropped_octets", Map.of("for", "encoder"))).isPositive();
        assertThat(other.isSourcePaused()).isFalse();
    }

    @Test
    void anEncoderThatFailsIsFollowedByAnotherAtAKeyFrameUntilItHasFailedTooOften() throws Exception {
        start(Map.of());
        StreamHarness source = publish("tv");
        StreamHarness viewer = view("tv", "360p");
        StreamHarness plain = view("tv", "pass");
        source.toDestination(part(0, 10_000));
        harness.workers().only().says(part(0, 3000)).exits(137);
        seen(viewer);
        source.toDestination(part(10_000, 20_000));
        assertThat(harness.workers().all()).as("a key frame within the pause starts none").hasSize(1);
        harness.advance(Duration.ofMillis(600));
        source.toDestination(part(20_000, 30_000));
        assertThat(harness.workers().all()).as("no key frame").hasSize(1);
        source.toDestination(part(30_000, 40_000));
        assertThat(harness.workers().all()).hasSize(2);
        harness.workers().last().says(part(0, 3000));
        assertThat(Arrays.copyOfRange(seen(viewer), 376, 564)).as("the new stream begins with its tables").isEqualTo(part(564, 752));
        for (int i = 0; i < 3; i++) {
            harness.workers().last().exits(1);
            harness.advance(Duration.ofSeconds(10));
            source.toDestination(part(0, 10_000));
        }
        harness.workers().last().exits(1);
        assertThatThrownBy(() -> viewer.advance(SOON)).hasMessageContaining("EE-319");
        assertThat(seen(plain)).as("others go on").isNotEmpty();
        assertThat(harness.metrics().value("encoder_failures")).isEqualTo(5);
    }

    @Test
    void insteadALiveStreamPassesOrStaysAway() throws Exception {
        start(Map.of("on-failure", "bypass"));
        StreamHarness stream = harness.stream(Position.INGRESS).parameter("size", "360p").parameter("live", true).open();
        stream.toDestination(part(0, 10_000));
        harness.workers().only().exits(1);
        assertThat(went(stream)).isEmpty();
        stream.toDestination(part(10_000, 20_000));
        assertThat(Arrays.copyOfRange(went(stream), 376, 564)).as("as it is, from the next key frame on").isEqualTo(part(SECOND_KEY, SECOND_KEY + 188));
        stream.end();
        stream.advance(SOON);
        assertThat(stream.hasEnded()).isTrue();
        harness.close();
        start(Map.of("on-failure", "drop"));
        StreamHarness dropped = harness.stream(Position.INGRESS).parameter("size", "360p").parameter("live", true).open();
        dropped.toDestination(part(0, 10_000));
        harness.workers().only().exits(1);
        dropped.toDestination(part(10_000, 40_000));
        assertThat(went(dropped)).isEmpty();
        assertThat(harness.workers().all()).hasSize(1);
        dropped.end();
        dropped.advance(SOON);
        assertThat(dropped.hasEnded()).isTrue();
    }

    @Test
    void whatIsNoVideoCostsItsSourceAndItsViewersAndNobodyElse() throws Exception {
        start(Map.of());
        StreamHarness good = publish("good");
        StreamHarness viewer = view("good", "pass");
        StreamHarness bad = publish("bad");
        StreamHarness fooled = view("bad", "360p");
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        assertThatThrownBy(() -> {
            for (int at = 0; at < noise.length; at += 50_000) {
                bad.toDestination(Arrays.copyOfRange(noise, at, Math.min(noise.length, at + 50_000)));
            }
        }).hasMessageContaining("EE-109");
        bad.close();
        assertThatThrownBy(() -> fooled.advance(SOON)).hasMessageContaining("EE-211");
        good.toDestination(VIDEO);
        assertThat(seen(viewer)).isNotEmpty();
    }

    @Test
    void channelsAndViewersAreBoundedAndNamesAreTaken() throws Exception {
        start(Map.of("channels", 1, "viewers", 2));
        assertThatThrownBy(() -> view("tv", "360p")).hasMessageStartingWith("EE-318 ");
        StreamHarness source = publish("tv");
        assertThatThrownBy(() -> publish("tv")).hasMessageStartingWith("EE-318 ");
        assertThatThrownBy(() -> publish("radio")).hasMessageStartingWith("EE-309 ");
        assertThatThrownBy(() -> publish("a b")).hasMessageStartingWith("EE-110 ");
        assertThatThrownBy(() -> view("tv", "9p")).hasMessageStartingWith("EE-110 ");
        StreamHarness one = view("tv", "360p");
        view("tv", "pass");
        assertThatThrownBy(() -> view("tv", "pass")).hasMessageStartingWith("EE-309 ");
        source.toDestination(VIDEO);
        assertThat(harness.workers().running()).isOne();
        one.close();
        assertThat(harness.workers().running()).as("nobody wants that size any more").isZero();
        source.close();
        publish("radio");
        assertThat(harness.inspect("programs", Map.of())).containsEntry("ffmpeg", "ready").containsEntry("zfp", "ready");
        assertThatThrownBy(() -> harness.inspect("films", Map.of())).hasMessageStartingWith("EE-407 ");
    }
}
