package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.stream.StageRig.payload;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.service.Verdict;

/** A stream whose service wants its next hop with the first payload that goes there. */
class ALateNextHopTest {
    private static final String NOWHERE = StreamRig.NOWHERE.getAddress().getHostAddress();
    private static final String HOP = StreamRig.USED.getAddress().getHostAddress();

    private final StreamRig rig = new StreamRig();

    @BeforeEach
    void takesWhatIsItsOwn() {
        rig.later = true;
        rig.handler.forward = (packet, out) -> Recorder.text(packet).equals("mine") ? Verdict.TAKEN : Verdict.PASS;
    }

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private List<String> tried() {
        return rig.tried.stream().map(each -> each.split(" ")[0]).toList();
    }

    private LegChannel begins(String destination) {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(destination), ""));
        return near;
    }

    @Test
    void whatTheServiceTakesNeedsNoneAndTheEndOfTheSourceIsTheEnd() {
        LegChannel near = begins(StreamRig.BEHIND);
        rig.send(near, "mine", "mine");
        assertThat(tried()).containsExactly(NOWHERE);
        rig.ends(near);
        assertThat(rig.handler.told).containsExactly("", "mine", "mine", "end", "<end", "close");
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.FIN);
        rig.assertOver(null);
    }

    @Test
    void theFirstPayloadConnectsAndWhatWaitedGoesFirst() {
        LegChannel near = begins(StreamRig.BEHIND);
        rig.send(near, "mine", "a", "b");
        assertThat(tried()).containsExactly(NOWHERE, HOP);
        List<Packet> got = StreamRig.packets(rig.far().got());
        assertThat(got).extracting(Recorder::text).containsExactly("", "a", "b");
        got.get(0).checkOptions();
        assertThat(got.get(0).options().destination()).as("the first names the destination").isNotNull();
        rig.send(rig.far(), "answer");
        assertThat(StreamRig.texts(near)).containsExactly("answer");
        rig.send(near, "mine", "c");
        assertThat(StreamRig.texts(rig.far())).containsExactly("c");
        rig.ends(near);
        rig.ends(rig.far());
        rig.assertOver(null);
    }

    @Test
    void anEndThatComesWhileItIsConnectedGoesBehindWhatWaited() {
        LegChannel near = begins(StreamRig.BEHIND);
        near.peerSends(StreamRig.packet(null, "a"));
        near.peerEnds();
        rig.settle();
        assertThat(StreamRig.texts(rig.far())).containsExactly("", "a");
        assertThat(rig.far().ending()).isEqualTo(LegChannel.Ending.FIN);
        rig.ends(rig.far());
        rig.assertOver(null);
    }

    @Test
    void anotherHopIsTriedAndNoneIsAnError() {
        rig.dead.add(StreamRig.USED);
        LegChannel near = begins(StreamRig.TWO_WAYS);
        rig.send(near, "a");
        assertThat(tried()).containsExactly(NOWHERE, HOP, StreamRig.SPARE.getAddress().getHostAddress());
        assertThat(StreamRig.texts(rig.far())).containsExactly("", "a");
        rig.dead.add(StreamRig.SPARE);
        LegChannel other = begins(StreamRig.TWO_WAYS);
        rig.send(other, "b");
        assertThat(StreamRig.texts(other)).containsExactly("EE-204");
    }

    /** Wrong: a shortage of the node that is taken for a failure of the service, or for a packet that is none. */
    @Test
    void aNodeThatIsShortOfDescriptorsSaysSoWhoeverLetsThePayloadGo() {
        for (boolean emitted : new boolean[] {false, true}) {
            LegChannel near = begins(StreamRig.BEHIND);
            rig.overload.measure(() -> 99, 100, 0, 0);
            rig.handler.forward = (packet, out) -> {
                if (emitted) {
                    out.emitPayload(payload(out, "made"));
                }
                return emitted ? Verdict.TAKEN : Verdict.PASS;
            };
            rig.send(near, "a");
            assertThat(StreamRig.texts(near)).containsExactly("EE-205");
            assertThat(rig.table.ended().get(0).reason()).startsWith("EE-205");
            assertThat(rig.service.errors()).as("failures of the service").isZero();
            rig.overload.measure(() -> 0, 100, 0, 0);
        }
    }
}
