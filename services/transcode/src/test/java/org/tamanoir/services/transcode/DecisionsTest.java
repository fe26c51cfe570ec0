package org.tamanoir.services.transcode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.transcode.Rung.Audio;
import org.tamanoir.services.transcode.Rung.Codec;

/** Sizes, ladders, arrays, gates and pauses: what is decided before anything runs. */
class DecisionsTest {
    private static InetAddress address(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    @Test
    void aSizeHasItsRateOrOneThatFitsIt() {
        assertThat(Rung.parse("360p@600k", 1080, ErrorCode.BAD_PARAMETER)).isEqualTo(new Rung(360, 600));
        assertThat(Rung.parse("720p@2M", 1080, ErrorCode.BAD_PARAMETER)).isEqualTo(new Rung(720, 2000));
        assertThat(Rung.parse("720p", 1080, ErrorCode.BAD_PARAMETER)).isEqualTo(new Rung(720, 2400));
        assertThat(Rung.parse("64p", 1080, ErrorCode.BAD_PARAMETER)).isEqualTo(new Rung(64, 50));
        assertThat(Rung.parse("pass", 1080, ErrorCode.BAD_PARAMETER).passes()).isTrue();
        List<String> arguments = new Rung(360, 600).arguments(true, Codec.LIBX264, Audio.COPY);
        assertThat(arguments).containsSequence("-vf", "scale=-2:360").containsSequence("-b:v", "600k").containsSequence("-f", "mpegts", "-i", "pipe:0").endsWith("pipe:1");
        assertThat(new Rung(360, 600).arguments(false, Codec.MPEG2VIDEO, Audio.NONE)).contains("mpeg2video", "-an").doesNotContain("low_delay");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "360", "361p", "62p", "1440p", "360p@1k", "360p@99M", "360p@600k -f null", "360p;id", "-i", "360p\u0000", "99999p", "360p@", "360P", "passs"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> Rung.parse(text, 1080, ErrorCode.BAD_PARAMETER)).hasMessageStartingWith("EE-110 ");
    }

    @Test
    void aLadderGivesTheFirstLineThatFits() throws Exception {
        Ladder ladder = new Ladder("to 10.0.9.0/24 = 360p@600k, via 192.0.2.1 = 480p, to 2001:db8::/32=240p, to 10.0.0.0/8 = pass", 1080);
        assertThat(ladder.of(address("10.0.9.7"), address("192.0.2.1"))).hasToString("360p@600k");
        assertThat(ladder.of(address("10.0.8.7"), address("192.0.2.1"))).hasToString("480p@1066k");
        assertThat(ladder.of(address("2001:db8::7"), address("192.0.2.2"))).hasToString("240p@266k");
        assertThat(ladder.of(address("10.0.8.7"), address("192.0.2.2"))).hasToString("pass");
        assertThat(ladder.of(address("192.0.2.1"), address("10.0.9.1"))).hasToString("pass");
        assertThat(new Ladder("", 1080).of(address("10.0.9.7"), address("10.0.9.7")).passes()).isTrue();
        for (String wrong : List.of("10.0.9.0/24=360p", "to nowhere = 360p", "to 10.0.9.0/24 = 360", "to 10.0.9.0/24 = 2160p", "to 10.0.9.0/99 = 360p", "by 10.0.9.1 = 360p,")) {
            assertThatThrownBy(() -> new Ladder(wrong, 1080)).as(wrong).hasMessageStartingWith("EE-501 ");
        }
    }

    @Test
    void anArrayHasItsTypeItsDimensionsAndAMode() {
        assertThat(ArrayPacking.arguments("f64:100x20x3", "accuracy:1e-6")).containsExactly("-q", "-h", "-i", "-", "-z", "-", "-t", "f64", "-3", "100", "20", "3", "-a", "1.0E-6");
        assertThat(ArrayPacking.arguments("i32:1000", "reversible")).endsWith("-1", "1000", "-R");
        assertThat(ArrayPacking.arguments("f32:10x10", "rate:16")).endsWith("-r", "16");
        assertThat(ArrayPacking.arguments("restore", "reversible")).containsExactly("-q", "-h", "-z", "-", "-o", "-");
        for (String wrong : List.of("", "f16:10", "f64:0", "f64:10x", "f64:9999999999x9999999999", "f64:200000000", "f64:1x1x1x1x1", "f64:10 -o /x", "i64:-1")) {
            assertThatThrownBy(() -> ArrayPacking.arguments(wrong, "reversible")).as(wrong).hasMessageStartingWith("EE-110 ");
        }
        for (String wrong : List.of("", "rate:0", "rate:65", "accuracy:-1", "accuracy:0", "accuracy:1e999", "accuracy:e", "precision:x", "lossy")) {
            assertThatThrownBy(() -> ArrayPacking.arguments("f64:10", wrong)).as(wrong).hasMessageStartingWith("EE-110 ");
        }
    }

    /** Whatever there is room for: what passes a gate begins with a key frame, and goes on without a hole up to the next one. */
    @Property
    void behindAHoleComesAKeyFrame(@ForAll @Size(max = 100) List<Boolean> keys, @ForAll @Size(min = 1, max = 100) List<Boolean> rooms) {
        KeyFrameGate gate = new KeyFrameGate();
        boolean hole = true;
        long dropped = 0;
        for (int i = 0; i < keys.size(); i++) {
            boolean room = rooms.get(i % rooms.size());
            boolean passes = gate.passes(keys.get(i), room, 1);
            assertThat(passes).isEqualTo(room && (!hole || keys.get(i)));
            assertThat(gate.hasJustOpened()).isEqualTo(passes && hole);
            hole = !passes;
            dropped += passes ? 0 : 1;
        }
        assertThat(gate.dropped()).isEqualTo(dropped);
    }

    @Test
    void pausesDoubleUntilItHasFailedTooOftenInARow() {
        Restarts restarts = new Restarts();
        restarts.started(0);
        assertThat(restarts.failed(1)).isEqualTo(500_000_000L);
        assertThat(restarts.failed(2)).isEqualTo(1_000_000_000L);
        assertThat(restarts.failed(3)).isEqualTo(2_000_000_000L);
        restarts.started(10);
        assertThat(restarts.failed(11 + Restarts.WELL_NANOS)).as("it was well for a minute").isEqualTo(500_000_000L);
        restarts.started(11 + Restarts.WELL_NANOS);
        for (int i = 0; i < 3; i++) {
            assertThat(restarts.failed(12 + Restarts.WELL_NANOS)).isPositive();
        }
        assertThat(restarts.failed(13 + Restarts.WELL_NANOS)).isEqualTo(Restarts.NEVER);
    }
}
