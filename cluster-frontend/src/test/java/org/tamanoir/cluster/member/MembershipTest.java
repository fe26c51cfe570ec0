package org.tamanoir.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.member.Event.What;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;

/** Who is there, by what back ends report and what the director's checks say. */
class MembershipTest {
    private final Scene scene = new Scene();

    @Test
    void aBackEndIsInWhenItHasAnsweredTheCheckAndStaysInThePlanWhenItDoesNot() {
        Member joined = scene.serve("b1");
        assertThat(joined.standing()).isEqualTo(Standing.UNCHECKED);
        assertThat(joined.why()).isEqualTo("has not yet answered GET /health at 10.0.0.1:3381");
        assertThat(scene.planned(true)).containsExactly("b1");

        scene.pass(2, "b1");
        assertThat(scene.member("b1").standing()).isEqualTo(Standing.IN);
        assertThat(scene.member("b1").why()).isNull();
        assertThat(scene.member("b1").since()).isEqualTo(scene.now - Scene.SECOND);

        scene.alive();
        assertThat(scene.standing("b1")).isEqualTo(Standing.DOWN);
        assertThat(scene.planned(true)).containsExactly("b1");
        assertThat(scene.news("b1")).containsExactly(What.JOINED, What.UP, What.DOWN);
    }

    @Test
    void whoIsSilentForALeaseIsOutAndComesBackByReporting() {
        scene.pass(2, "b1", "b2");
        scene.pass(3, "b2");
        assertThat(scene.planned(true)).as("three periods").containsExactly("b1", "b2");
        scene.now += 1;
        scene.membership.tick(scene.now);
        assertThat(scene.planned(true)).containsExactly("b2");
        assertThat(scene.member("b1").out()).isTrue();
        assertThat(scene.member("b1").why()).isEqualTo("does not report any more");

        scene.pass(1, "b1", "b2");
        assertThat(scene.planned(true)).containsExactly("b1", "b2");
        assertThat(scene.news("b1")).containsExactly(What.JOINED, What.UP, What.DOWN, What.LAPSED, What.RETURNED, What.UP);
    }

    @Test
    void anOlderReportChangesNothingAndRenewsNothing() {
        scene.serve("b1");
        Report late = Scene.report("b1", 1, 1, "10.0.0.1", 3322, "default", State.LEAVING);
        scene.serve("b1");
        for (int i = 0; i < 4; i++) {
            scene.now += Scene.SECOND;
            scene.membership.report(late, scene.now);
        }
        assertThat(scene.member("b1").out()).isTrue();
        assertThat(scene.news("b1")).containsExactly(What.JOINED, What.LAPSED);
    }

    @Test
    void anotherInstanceAtTheSamePlaceIsARestartAndItsPredecessorDoesNotComeBack() {
        scene.pass(1, "b1");
        scene.serve("b1", 2);
        assertThat(scene.standing("b1")).isEqualTo(Standing.IN);
        assertThat(scene.news("b1")).containsExactly(What.JOINED, What.UP, What.RESTARTED);

        assertThatThrownBy(() -> scene.serve("b1", 1)).hasMessage("EE-902 name is b1, and instance " + Scene.instance("b1", 2)
                + " at 10.0.0.1 port 3322 reports under it");
        assertThat(scene.membership.leave("b1", Scene.instance("b1", 1), scene.now)).as("a late goodbye").isFalse();
        assertThat(scene.planned(true)).containsExactly("b1");
        // Its successor has died, and it was alive all the time.
        scene.now += 3 * Scene.SECOND + 1;
        scene.serve("b1", 1);
        assertThat(scene.planned(true)).containsExactly("b1");
    }

    @Test
    void anImpostorIsRefusedWhileTheOtherReportsAndOnlyThen() {
        scene.pass(1, "b1");
        Report elsewhere = Scene.report("b1", 7, 1, "10.0.0.9", 3322, "default", State.SERVING);
        Report otherPort = Scene.report("b1", 8, 1, "10.0.0.1", 3323, "default", State.SERVING);
        assertThatThrownBy(() -> scene.membership.report(elsewhere, scene.now)).hasMessageStartingWith("EE-902 name is b1");
        assertThatThrownBy(() -> scene.membership.report(otherPort, scene.now)).hasMessageStartingWith("EE-902 name is b1");
        assertThat(scene.member("b1").address()).isEqualTo(Scene.address("10.0.0.1"));

        scene.news("b1");
        for (int i = 0; i < 5; i++) {
            scene.pass(1, "b1");
            assertThatThrownBy(() -> scene.membership.report(elsewhere, scene.now)).hasMessageStartingWith("EE-902 name is b1");
        }
        assertThat(scene.news("b1")).as("said already").isEmpty();

        scene.now += 3 * Scene.SECOND + 1;
        scene.membership.report(elsewhere, scene.now);
        assertThat(scene.member("b1").address()).isEqualTo(Scene.address("10.0.0.9"));
    }

    @Test
    void anAddressAndPortIsOneBackEnds() {
        scene.pass(1, "b1");
        Report second = Scene.report("b2", 1, 1, "10.0.0.1", 3322, "heavy", State.SERVING);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> scene.membership.report(second, scene.now)).hasMessage(
                    "EE-902 address and port are 10.0.0.1 port 3322, which back end b1 has");
        }
        assertThat(scene.news("b2")).as("said once").containsExactly(What.REFUSED);
        assertThat(scene.membership.refusals()).singleElement().matches(refusal -> refusal.name().equals("b2") && refusal.count() == 5);
        assertThat(scene.membership.members()).extracting(Member::name).containsExactly("b1");

        scene.membership.report(Scene.report("b2", 1, 2, "10.0.0.1", 3323, "default", State.SERVING), scene.now);
        assertThat(scene.membership.refusals()).isEmpty();
        scene.now += 3 * Scene.SECOND + 1;
        scene.membership.report(Scene.report("b3", 1, 1, "10.0.0.1", 3322, "default", State.SERVING), scene.now);
        assertThat(scene.planned(true)).containsExactly("b3");
    }

    @Test
    void whoHasNoPlaceInTheConfigurationIsToldWhy() {
        assertThatThrownBy(() -> scene.membership.report(Scene.report("b1", 1, 1, "10.0.0.1", 3322, "havy", State.SERVING), scene.now))
                .hasMessage("EE-903 pool is 'havy'; this front-end has [default, heavy]");
        assertThatThrownBy(() -> scene.membership.report(Scene.report("b1", 1, 1, "192.0.2.2", 3322, "default", State.SERVING), scene.now))
                .hasMessageStartingWith("EE-901 address is 192.0.2.2, which is a virtual one");
        assertThatThrownBy(() -> scene.membership.report(Scene.report("b1", 1, 1, "fd00::1", 3322, "default", State.SERVING), scene.now))
                .hasMessageStartingWith("EE-901 address is fd00::1; pool default has virtual addresses of the other family only");
        assertThatThrownBy(() -> scene.membership.report(Scene.report("b1", 1, 1, "10.0.0.1", 3323, "heavy", State.SERVING), scene.now))
                .hasMessageStartingWith("EE-908 port is 3323; with method DIRECT");
        assertThat(scene.membership.members()).isEmpty();
    }

    @Test
    void whoLeavesDrainsToItsDeadlineAndMayTakeItBack() {
        scene.pass(1, "b1", "b2");
        assertThat(scene.say("b1", 1, State.LEAVING).standing()).isEqualTo(Standing.DRAINING);
        assertThat(scene.planned(true)).containsExactly("b1 drains", "b2");
        assertThat(scene.planned(false)).containsExactly("b2");
        // The director knows nothing of who gets nothing.
        scene.alive("b2");
        assertThat(scene.news("b1")).containsExactly(What.JOINED, What.UP, What.DRAINING);
        scene.serve("b1");
        assertThat(scene.standing("b1")).as("the director gives it nothing yet").isEqualTo(Standing.UNCHECKED);
        assertThat(scene.planned(false)).containsExactly("b1", "b2");
        scene.alive("b1", "b2");
        assertThat(scene.standing("b1")).isEqualTo(Standing.IN);

        for (int second = 0; second < 30; second++) {
            scene.say("b1", 1, State.LEAVING);
            assertThat(scene.planned(true)).containsExactly("b1 drains", "b2");
            scene.pass(1, "b2");
        }
        assertThat(scene.say("b1", 1, State.LEAVING).why()).isEqualTo("its time to drain is over");
        assertThat(scene.standing("b1")).isEqualTo(Standing.DRAINING);
        assertThat(scene.planned(true)).containsExactly("b2");
        scene.serve("b1");
        assertThat(scene.standing("b1")).as("the director has not checked it meanwhile").isEqualTo(Standing.UNCHECKED);
        assertThat(scene.planned(true)).containsExactly("b1", "b2");
    }

    @Test
    void aGoodbyeIsAtOnceAndForALease() {
        scene.pass(1, "b1", "b2");
        Report underway = Scene.report("b1", 1, 99, "10.0.0.1", 3322, "default", State.LEAVING);
        assertThat(scene.membership.leave("b1", Scene.instance("b1", 1), scene.now)).isTrue();
        assertThat(scene.membership.leave("b1", Scene.instance("b1", 1), scene.now)).isFalse();
        assertThat(scene.membership.leave("nobody", Scene.instance("b1", 1), scene.now)).isFalse();
        assertThat(scene.planned(true)).containsExactly("b2");
        assertThatThrownBy(() -> scene.membership.report(underway, scene.now)).hasMessageStartingWith("EE-901 instance is").hasMessageContaining("goodbye");
        // The next run of it need not wait.
        scene.serve("b1", 2);
        assertThat(scene.planned(true)).containsExactly("b1", "b2");
    }

    @Test
    void afterARestartOfTheFrontEndWhatWasThereStaysForALease() {
        scene.pass(1, "b1", "b2", "b3", "b4");
        scene.say("b4", 1, State.LEAVING);
        Scene next = new Scene();
        next.membership.restore(scene.plan(), next.now);
        assertThat(next.plan()).isEqualTo(scene.plan());
        assertThat(next.member("b1").instance()).isNull();

        next.serve("b1", 1);
        next.now += 2 * Scene.SECOND;
        next.serve("b2", 5);
        // Its address is another one's now, who cannot be told that it is taken by somebody who is silent.
        next.membership.report(Scene.report("b7", 1, 1, "10.0.0.3", 3322, "default", State.SERVING), next.now);
        assertThat(next.planned(true)).containsExactly("b1", "b2", "b4 drains", "b7");
        next.now += Scene.SECOND + 1;
        next.serve("b1", 1);
        assertThat(next.planned(true)).containsExactly("b1", "b2", "b7");
        assertThat(next.news("b2")).containsExactly(What.KEPT, What.RETURNED);
    }

    /** What the last run gave to sources it gives until it knows what the services need. */
    @Test
    void afterARestartOfTheFrontEndAPersistenceStays() {
        Report needy = Scene.report("b1", 1, 1, "10.0.0.1", 3322, "default", State.SERVING);
        scene.membership.report(new Report(needy.name(), needy.instance(), 1, needy.address(), 3322, 3381, "default", State.SERVING,
                List.of(Scene.DYRAM), needy.load()), scene.now);
        assertThat(scene.plan().services().get(0).persistence()).isEqualTo(Duration.ofSeconds(60));
        Scene next = new Scene();
        next.membership.restore(scene.plan(), next.now);
        assertThat(next.plan()).isEqualTo(scene.plan());
        next.serve("b1");
        assertThat(next.plan().services().get(0).persistence()).isZero();
    }

    @Test
    void aPoolThatIsTakenAwayTakesItsBackEndsWithIt() {
        scene.pass(1, "b1");
        scene.membership.configure(new ClusterConfiguration(List.of(Scene.pool("heavy", Method.NAT, "192.0.2.2"))), Scene.TIMING, scene.now);
        assertThat(scene.member("b1").out()).isTrue();
        assertThat(scene.member("b1").why()).startsWith("EE-903 pool is 'default'");
        assertThatThrownBy(() -> scene.serve("b1")).hasMessageStartingWith("EE-903");
        scene.membership.report(Scene.report("b1", 1, 99, "10.0.0.1", 3322, "heavy", State.SERVING), scene.now);
        assertThat(scene.member("b1").out()).isFalse();
    }

    @Test
    void aWelcomeSaysWhatABackEndHasToKnow() {
        Member member = scene.membership.report(Scene.report("b1", 1, 1, "10.0.0.1", 3322, "heavy", State.SERVING), scene.now);

        assertThat(scene.membership.welcome("fe-1", member)).isEqualTo(new Welcome("fe-1", 1000, 3000, Method.DIRECT,
                List.of(new Welcome.Virtual("192.0.2.2", 3322)), Standing.UNCHECKED, "has not yet answered GET /health at 10.0.0.1:3381"));
    }

    /** Whoever has the token may say what it likes: no more is kept than may be, and those who are there stay. */
    @Test
    void memoryIsBounded() {
        scene.serve("b1");
        for (int i = 0; i < 3 * Membership.MOST; i++) {
            String name = "x" + i;
            Report report = Scene.report(name, 1, 1, "10.1." + i / 250 + "." + (1 + i % 250), 3322, "default", State.SERVING);
            if (scene.membership.members().size() == Membership.MOST) {
                assertThatThrownBy(() -> scene.membership.report(report, scene.now)).hasMessageStartingWith("EE-410 this front-end has 256 back ends");
            } else {
                scene.membership.report(report, scene.now);
            }
        }
        assertThat(scene.membership.members()).hasSize(Membership.MOST);
        assertThat(scene.membership.refusals()).hasSize(Refusals.MOST);
        assertThat(scene.membership.events()).hasSize(Membership.MOST_EVENTS);
        scene.pass(5, "b1");
        // Those that are silent make room.
        scene.membership.report(Scene.report("b2", 1, 1, "10.0.0.2", 3322, "default", State.SERVING), scene.now);
        assertThat(scene.planned(true)).containsExactly("b1", "b2");
        scene.pass(1_801, "b1");
        assertThat(scene.membership.members()).extracting(Member::name).containsExactly("b1");
        assertThat(scene.membership.refusals()).isEmpty();
    }
}
