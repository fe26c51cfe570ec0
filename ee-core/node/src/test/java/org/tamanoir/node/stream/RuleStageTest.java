package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Treatment;

/** Light rules in front of a TCP stream, while they come, go and change. */
class RuleStageTest {
    private static final String OWNER = "gold";

    private final StageRig rig = new StageRig();
    private final RuleTable rules = new RuleTable(10);
    private final List<AnepException> failures = new ArrayList<>();
    private final TcpDirection direction = new TcpDirection(failures::add);
    private final Through service = new Through("service ");
    private final RuleStage stage = new RuleStage(rules, firstPacket(), service, rig.taken, direction);

    /** The first service, whose passing by is written down. */
    private final class Through extends Stage {
        private final String name;
        private boolean takesRuns = true;

        @Override
        public boolean takesRuns() {
            return takesRuns;
        }

        Through(String name) {
            super(rig.taken);
            this.name = name;
        }

        @Override
        public void packet(Packet packet) {
            rig.taken.came.add(name + Recorder.text(packet));
            next().packet(packet);
        }
    }

    private PacketFacts firstPacket() {
        ByteBuf first = rig.buffer(StageRig.TYPE, new PacketOptions().qosSession(5), "first");
        Packet packet = Packet.of(first);
        packet.checkOptions();
        PacketFacts facts = new PacketFacts().read(packet, StageRig.SOURCE.getAddress());
        first.release();
        return facts;
    }

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private void put(String name, Match match, Action... actions) {
        rules.put(OWNER, new LightRule(name, match, List.of(actions)));
    }

    private long counted(String name) {
        return rules.counters(OWNER, name).packets();
    }

    @Test
    void withoutARuleEverythingGoesToTheServices() {
        rig.send(stage, "a");
        stage.flush();
        stage.end();
        assertThat(rig.taken.take()).containsExactly("service a", "a", "flush", "end");
    }

    @Test
    void rulesThatComeAndGoWhileTheStreamFlowsHoldFromTheNextPacketOn() {
        rig.send(stage, "a");
        put("mark", Match.type(StageRig.TYPE), Action.count(), Action.dscp(46));
        rig.send(stage, "b", "c");
        put("mark", Match.type(StageRig.TYPE), Action.count(), Action.dscp(10));
        rig.send(stage, "d");
        rules.remove(OWNER, "mark");
        rig.send(stage, "e");
        assertThat(rig.taken.take()).containsExactly("service a", "a", "service b", "b@46", "service c", "c@46", "service d", "d@10", "service e", "e");
        assertThat(direction.codePoint()).as("of what services emit by themselves").isZero();
    }

    @Test
    void plainPacketsGoTogetherWhereThereIsNoRule() {
        assertThat(stage.takesRuns()).isTrue();
        rig.sendTogether(stage, "a", "b");
        put("mark", Match.type(StageRig.TYPE), Action.count(), Action.dscp(46));
        assertThat(stage.takesRuns()).isFalse();
        rig.sendTogether(stage, "a", "b");
        assertThat(direction.codePoint()).isEqualTo(46);
        assertThat(rig.taken.take()).containsExactly("service a", "a", "service b", "b", "service a", "a@46", "service b", "b@46");
        assertThat(counted("mark")).isEqualTo(2);
        rules.remove(OWNER, "mark");
        service.takesRuns = false;
        assertThat(stage.takesRuns()).isFalse();
        rig.sendTogether(stage, "a", "b");
        assertThat(direction.codePoint()).isZero();
        assertThat(rig.taken.packets()).containsExactly("service a", "a", "service b", "b");
    }

    /** Later packets are bare: what the first one said holds for all of them. */
    @Test
    void aRuleForWhatTheFirstPacketSaidHoldsForBarePacketsOfOtherTypesToo() {
        put("session", Match.all().withSession(5L), Action.count(), Action.dscp(8));
        rig.lend(stage, rig.buffer(0x5502, null, "a"), 0);
        rig.send(stage, "b");
        assertThat(counted("session")).isEqualTo(2);
        put("other", Match.all().withSession(6L), Action.drop());
        rig.send(stage, "c");
        assertThat(rig.taken.packets()).contains("a@8", "b@8", "c@8");
    }

    @Test
    void whatARuleDropsReachesNobodyAndWhatItForwardsGoesPastTheService() {
        put("drop", Match.type(StageRig.TYPE), Action.drop());
        rig.send(stage, "a");
        assertThat(rig.taken.take()).isEmpty();
        put("drop", Match.type(StageRig.TYPE), Action.dscp(20), Action.forward());
        rig.send(stage, "b");
        assertThat(rig.taken.take()).containsExactly("b@20");
        assertThat(direction.codePoint()).isEqualTo(20);
        assertThat(rules.counters(OWNER, "drop").dropped()).isEqualTo(1);
        assertThat(rules.counters(OWNER, "drop").forwarded()).isEqualTo(1);
    }

    @Test
    void aMeterOfAStreamRunsOnTheTimeAtWhichPacketsWereRead() {
        // 1,000 octets a second and a burst of 20: each packet has 18 octets.
        put("police", Match.all(), Action.police(Meter.singleRate(1000, 20, 0), Treatment.PASS, Treatment.DROP, Treatment.DROP));
        for (long millis : new long[] {1, 1, 10, 100, 100}) {
            ByteBuf buffer = rig.buffer(StageRig.TYPE, null, "at" + String.format("%8d", millis));
            stage.packet(Packet.of(buffer).receivedNanos(millis * 1_000_000));
            buffer.release();
        }
        assertThat(rig.taken.packets()).filteredOn(each -> each.startsWith("service")).containsExactly("service at       1", "service at     100");
    }

    @Test
    void anErrorPacketFromTheSourceEndsTheStreamAndItsEndDoesNotLookLikeAGoodOne() {
        rig.sendError(stage);
        rig.sendError(stage);
        stage.end();
        assertThat(failures).extracting(AnepException::code).containsExactly(ErrorCode.MISPLACED_ERROR);
        assertThat(rig.taken.take()).isEmpty();
    }

    @Test
    void badOptionsUnderARuleEndTheStreamOnceAndNobodyBehindSeesThem() {
        put("forward", Match.type(StageRig.TYPE), Action.forward());
        for (int i = 0; i < 2; i++) {
            ByteBuf bad = rig.given(Unpooled.buffer()).writeLong(0x01005501_0003000CL).writeShort(1).writeShort(9);
            rig.lend(stage, bad, 0);
        }
        rig.send(stage, "good");
        assertThat(failures).hasSize(1).first().extracting(AnepException::code).isEqualTo(ErrorCode.BAD_OPTION_LENGTH);
        assertThat(rig.taken.take()).isEmpty();
    }
}
