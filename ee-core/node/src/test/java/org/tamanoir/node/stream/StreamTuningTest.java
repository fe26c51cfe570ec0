package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.node.tuning.LegMatch;
import org.tamanoir.node.tuning.RuleStatus;
import org.tamanoir.node.tuning.TuneRule;
import org.tamanoir.service.Level;

/** When the legs of a stream ask for their rules. They have no sockets here, and refuse what they are given: a rule counts the legs that asked. */
class StreamTuningTest {
    private static final Duration TICK = Duration.ofMillis(250);

    private final StreamRig rig = new StreamRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private void rule(LegMatch match) {
        rig.tuning.configure(List.of(new TuneRule("rule", match, new SocketTuning("reno", 0, 0, 0), false)));
    }

    /** Legs that were given the rule. */
    private long given() {
        return rig.tuning.status().get(0).tuned();
    }

    @Test
    void aLegIsAskedForAgainWhenItSendsInAnotherClass() {
        rule(new LegMatch(null, null, null, 46, null, null));
        rig.opened();
        rig.tick(TICK);
        assertThat(given()).isZero();
        rig.only().after().mark(46);
        assertThat(given()).as("packets cost nothing").isZero();
        rig.tick(TICK);
        assertThat(given()).isOne();
        assertThat(rig.only().status().tunedBy()).as("it is refused here").isNull();
    }

    @Test
    void rulesThatComeLaterAreForStreamsThatFlow() {
        rig.opened();
        rig.tick(TICK);
        rule(new LegMatch(null, null, null, null, null, null));
        rig.tick(TICK);
        RuleStatus status = rig.tuning.status().get(0);
        assertThat(status.tuned()).as("the second leg sees what the kernel said to the first").isOne();
        assertThat(status.untuned()).isPositive();
        assertThat(status.reason()).isEqualTo("EE-631 connections are not tuned with io: nio");
    }

    @Test
    void aRuleAsksForServiceSessionAndLevel() {
        rule(new LegMatch(null, null, StreamRig.TYPE, null, 7L, Level.MIDDLE));
        rig.opened();
        assertThat(given()).isZero();
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).qosSession(7), "first"));
        assertThat(given()).isOne();
    }
}
