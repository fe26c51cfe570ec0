package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.TraceContext;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.trace.FinishedSpan;
import org.tamanoir.node.trace.TraceSettings;
import org.tamanoir.node.trace.TraceSettings.Follow;
import org.tamanoir.node.transport.LegChannel;

/** Streams that a node records. */
class RecordedStreamTest {
    private static final TraceSettings ALL = new TraceSettings("http://127.0.0.1:4318", 1, 1000, Follow.ALL, "node");

    @TempDir
    private Path directory;

    private static List<FinishedSpan> spans(StreamRig rig, int count) {
        await().until(() -> rig.spans.size() == count);
        return rig.spans;
    }

    @Test
    void whatAStreamWaitsForIsASpanEachUntilItsEnd() {
        try (StreamRig rig = new StreamRig()) {
            rig.tracing = ALL;
            CompletableFuture<RunningService> slow = new CompletableFuture<>();
            rig.answer = slow;
            LegChannel near = rig.accept();
            rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
            rig.service.cameFrom("http://repository.example.org");
            slow.complete(rig.service);
            rig.settle();
            rig.send(rig.far(), "answer");
            rig.ends(near);
            rig.ends(rig.far());
            List<FinishedSpan> spans = spans(rig, 3);
            assertThat(spans).extracting(FinishedSpan::name).containsExactly("wait for service", "connect", "stream");
            assertThat(spans).extracting(FinishedSpan::error).containsOnlyNulls();
            assertThat(spans.get(0).attributes()).containsEntry("tamanoir.service.sources", List.of("http://repository.example.org"));
            FinishedSpan stream = spans.get(2);
            assertThat(stream.parent()).isZero();
            assertThat(spans.subList(0, 2)).extracting(FinishedSpan::parent).containsOnly(stream.id());
            assertThat(stream.events()).containsOnlyKeys("first octet back");
            assertThat(stream.attributes()).containsEntry("tamanoir.next_hop", "192.0.2.1:3322").containsEntry("tamanoir.position", "ingress");
            assertThat(StreamRig.packets(rig.far().got()).get(0).options().trace())
                    .isEqualTo(new TraceContext(stream.traceHigh(), stream.traceLow(), stream.id(), TraceContext.SAMPLED));
        }
    }

    @Test
    void aStepThatIsNotOverFailsWithTheStream() {
        try (StreamRig rig = new StreamRig()) {
            rig.tracing = ALL;
            CompletableFuture<RunningService> slow = new CompletableFuture<>();
            rig.answer = slow;
            rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
            slow.completeExceptionally(new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "test"));
            rig.settle();
            List<FinishedSpan> spans = spans(rig, 2);
            assertThat(spans).extracting(FinishedSpan::name).containsExactly("wait for service", "stream");
            assertThat(spans).extracting(FinishedSpan::error).containsOnly("EE-302 test");
            assertThat(spans).allSatisfy(span -> assertThat(span.attributes()).containsEntry("error.type", "EE-302"));
        }
    }

    @Test
    void aTokenThatIsVerifiedIsWaitedForByItsName() throws IOException {
        TokenIssuer issuer = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        Path file = Files.writeString(directory.resolve("access.yaml"), "issuers:\n  - {issuer: '" + issuer.name() + "', keys: " + issuer.keys()
                + ", audience: here}\nrules:\n  - allow: anybody\n");
        try (AccessControl access = new AccessControl(file, Clock.systemUTC()); StreamRig rig = new StreamRig(access)) {
            rig.tracing = ALL;
            rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND).token(issuer.token("ada", "elsewhere", "compute.read")), "first"));
            await().until(() -> {
                rig.settle();
                return rig.table.all().isEmpty();
            });
            List<FinishedSpan> spans = spans(rig, 2);
            assertThat(spans).extracting(FinishedSpan::name).containsExactly("wait for permit", "stream");
            assertThat(spans).allSatisfy(span -> assertThat(span.attributes()).containsEntry("error.type", "EE-219"));
        }
    }

    @Test
    void aFirstPacketThatHasNoRoomForATraceGoesOnWithoutOne() {
        try (StreamRig rig = new StreamRig()) {
            rig.tracing = ALL;
            ByteBuf empty = StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "");
            int room = Anep.MAX_PACKET - 44 - empty.readableBytes();
            empty.release();
            LegChannel near = rig.accept();
            rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "x".repeat(room)));
            assertThat(StreamRig.packets(rig.far().got()).get(0).options().trace()).isNull();
            assertThat(StreamRig.texts(near)).isEmpty();
        }
    }

    @Test
    void aStreamThatIsNotRecordedKeepsTheTraceThatItHas() {
        TraceContext given = new TraceContext(1, 2, 3, 0);
        try (StreamRig rig = new StreamRig()) {
            rig.tracing = ALL;
            rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND).trace(given), "first"));
            rig.tracing = null;
            rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND).trace(given), "second"));
            assertThat(rig.fars).allSatisfy(far -> assertThat(StreamRig.packets(far.got()).get(0).options().trace()).isEqualTo(given));
            assertThat(rig.spans).isEmpty();
        }
    }
}
