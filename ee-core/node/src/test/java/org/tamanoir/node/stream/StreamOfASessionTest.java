package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.service.Declaration;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.service.Level;
import org.tamanoir.service.Verdict;

/** What a node does for a stream that outlives it: little, and in the right place. */
class StreamOfASessionTest {
    private static final Resume RESUME = new Resume(7, 11, 13, 1, true, 0, 0);
    private static final Mark MARK = new Mark(3, 99, false, 0, false, null);

    @TempDir
    Path directory;
    private StreamRig rig = new StreamRig();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private void serviceIsStateless() {
        RunningService preset = rig.service;
        RunningService stateless = new RunningService(StreamRig.TYPE, Level.MIDDLE, preset.service(), preset.context(), 1, preset.policy(),
                Declaration.of(Map.of("resume", "stateless")));
        rig.answer = CompletableFuture.supplyAsync(() -> stateless, Runnable::run);
    }

    private static PacketOptions opening() {
        return StreamRig.to(StreamRig.BEHIND).session(RESUME);
    }

    private static ByteBuf mark(SessionMessage message) {
        return PacketBuilder.session(UnpooledByteBufAllocator.DEFAULT, StreamRig.TYPE, 0, message);
    }

    @Test
    void isRefusedWhereAServiceDoesNotSayThatItResumes() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(opening(), ""));
        assertThat(StreamRig.texts(near)).containsExactly("EE-229");
        rig.assertOver(ErrorCode.NOT_RESUMABLE);
        assertThat(rig.connects).isZero();
    }

    @Test
    void isRefusedWithoutPacketsAtItsEndOrWithAMarkForItsBeginning() {
        serviceIsStateless();
        LegChannel raw = rig.accept();
        rig.send(raw, StreamRig.packet(opening().delivery(7000, Delivery.RAW), ""));
        assertThat(StreamRig.texts(raw)).containsExactly("EE-229");
        LegChannel late = rig.accept();
        rig.send(late, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).session(MARK), ""));
        assertThat(StreamRig.texts(late)).containsExactly("EE-229");
    }

    @Test
    void marksPassItsServicesUnseenAndInTheirPlace() {
        serviceIsStateless();
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(opening(), "first"), StreamRig.packet(null, "one"), mark(MARK), StreamRig.packet(null, "two"));
        List<Packet> got = StreamRig.packets(rig.far().got());
        got.forEach(Packet::checkOptions);
        assertThat(got).extracting(Recorder::text).containsExactly("first", "one", "", "two");
        assertThat(got.get(0).options().session()).isEqualTo(RESUME);
        assertThat(got.get(2).options().session()).isEqualTo(MARK);
        assertThat(rig.handler.told).containsExactly("first", "one", "two");
        rig.send(rig.far(), mark(new SessionMessage.Welcome(5, 6)));
        assertThat(rig.handler.told).containsExactly("first", "one", "two");
        assertThat(StreamRig.packets(near.got()).get(0).options().session()).isEqualTo(new SessionMessage.Welcome(5, 6));
    }

    @Test
    void showsItsSessionAndWhichChainOfNodesItIs() {
        serviceIsStateless();
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).session(new Resume(0xc7, 11, 13, 2, false, 0, 0)), "first"));
        StreamStatus resumed = rig.only().status();
        assertThat(resumed.session()).isEqualTo("00000000000000c7");
        assertThat(resumed.epoch()).isEqualTo(2);
        rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
        assertThat(rig.table.all()).extracting(each -> each.status().epoch()).containsExactlyInAnyOrder(2, null);
    }

    /** Otherwise an option would be a way around every service. */
    @Test
    void aMarkWithAPayloadIsAPacketLikeAnyOther() {
        serviceIsStateless();
        rig.handler.forward = (packet, out) -> Recorder.text(packet).equals("smuggled") ? Verdict.drop("no") : Verdict.PASS;
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(opening(), "first"), StreamRig.packet(new PacketOptions().session(MARK), "smuggled"));
        assertThat(StreamRig.texts(rig.far())).containsExactly("first");
        LegChannel plain = rig.accept();
        rig.send(plain, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"), mark(MARK));
        assertThat(rig.handler.told).as("without a session a mark is nothing special").endsWith("first", "");
    }

    @Test
    void aNodeThatStopsLetsGoOfItAtOnce() {
        serviceIsStateless();
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(opening(), "first"));
        StreamRig.texts(near);
        rig.only().finishUp();
        rig.settle();
        assertThat(StreamRig.texts(near)).containsExactly("EE-210");
    }

    @Test
    void theFirstNodeBindsItToTheUserWhomItKnows() throws IOException {
        TokenIssuer issuer = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        Path file = Files.writeString(directory.resolve("access.yaml"), "issuers:\n  - {issuer: '" + issuer.name() + "', keys: " + issuer.keys()
                + ", audience: here}\nrules:\n  - allow: https://cms.example.org/\n");
        rig.close();
        rig = new StreamRig(new AccessControl(file, Clock.systemUTC()));
        serviceIsStateless();
        rig.send(rig.accept(), StreamRig.packet(opening().token(issuer.token("ada", "here", "s")), "first"));
        await().until(() -> {
            rig.settle();
            return !rig.fars.isEmpty();
        });
        Packet first = StreamRig.packets(rig.far().got()).get(0);
        first.checkOptions();
        assertThat(first.options().session()).isEqualTo(RESUME.boundTo("https://cms.example.org/#ada")).isNotEqualTo(RESUME);
        assertThat(Recorder.text(first)).isEqualTo("first");
    }
}
