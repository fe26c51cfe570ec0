package org.tamanoir.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.member.Event.What;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome.Standing;

/** Who comes and goes too often waits; nobody waits for what others, or the director, have done. */
class FlappingTest {
    private final Scene scene = new Scene();

    /** The check fails and succeeds again, once a second each; the others are well. */
    private void flap(String name, int times) {
        for (int i = 0; i < times; i++) {
            scene.pass(1, "b1", "b2", "b3");
            scene.now += Scene.SECOND;
            scene.serve("b1");
            scene.serve("b2");
            scene.serve("b3");
            scene.membership.alive(Stream.of("b1", "b2", "b3").filter(each -> !each.equals(name))
                    .collect(Collectors.toSet()), scene.now);
        }
    }

    /** Seconds until it gets streams again, being well. */
    private int held(String name) {
        int seconds = 0;
        while (scene.standing(name) == Standing.HELD) {
            assertThat(scene.planned(true)).doesNotContain(name);
            scene.pass(1, "b1", "b2", "b3");
            seconds++;
        }
        return seconds;
    }

    @Test
    void whoGoesTooOftenIsHeldForAWhileThatDoubles() {
        flap("b1", 3);
        assertThat(scene.standing("b1")).isEqualTo(Standing.DOWN);
        flap("b1", 1);
        assertThat(scene.standing("b1")).isEqualTo(Standing.HELD);
        assertThat(scene.member("b1").why()).contains("10 s");
        assertThat(held("b1")).isEqualTo(10);
        for (int length : new int[] {20, 40, 80, 160, 300, 300}) {
            flap("b1", 4);
            assertThat(held("b1")).isEqualTo(length);
        }
        // Well for as long as the longest hold: forgiven.
        scene.pass(301, "b1", "b2", "b3");
        flap("b1", 4);
        assertThat(held("b1")).isEqualTo(10);
        assertThat(scene.news("b2")).containsExactly(What.JOINED, What.UP);
    }

    @Test
    void aWhileInWhichItWasNotWellDoesNotCount() {
        flap("b1", 4);
        scene.pass(9, "b1", "b2", "b3");
        scene.serve("b1", 2);
        for (int second = 0; second < 5; second++) {
            scene.pass(1, "b2", "b3");
            scene.serve("b1", 2);
        }
        assertThat(scene.standing("b1")).isEqualTo(Standing.HELD);
        scene.pass(4, "b2", "b3");
        assertThat(scene.member("b1").out()).isTrue();
        scene.serve("b1", 2);
        for (int second = 0; second < 10; second++) {
            assertThat(scene.standing("b1")).as("back after a lease of silence").isEqualTo(Standing.HELD);
            scene.pass(1, "b2", "b3");
            scene.serve("b1", 2);
        }
        assertThat(scene.standing("b1")).isEqualTo(Standing.UNCHECKED);
    }

    @Test
    void aBackEndThatIsStartedAgainAndAgainIsHeld() {
        scene.pass(1, "b2", "b3");
        for (int run = 1; run <= 5; run++) {
            scene.serve("b1", run);
            assertThat(scene.standing("b1")).isEqualTo(run <= 4 ? Standing.UNCHECKED : Standing.HELD);
            scene.pass(1, "b2", "b3");
        }
    }

    /** One death is one going, though the check, the lease and the restart all say so; and so an upgrade of each is none too many. */
    @Test
    void aDeathIsCountedOnce() {
        for (int run = 1; run <= 3; run++) {
            scene.serve("b1", run);
            scene.alive("b1", "b2", "b3");
            scene.pass(5, "b2", "b3");
        }
        scene.serve("b1", 4);
        scene.alive("b1", "b2", "b3");
        assertThat(scene.standing("b1")).isEqualTo(Standing.IN);
    }

    @Test
    void leavingAndGoodbyesCountForNothing() {
        for (int run = 1; run <= 9; run++) {
            scene.serve("b1", run);
            scene.alive("b1", "b2", "b3");
            scene.say("b1", run, State.LEAVING);
            scene.membership.leave("b1", Scene.instance("b1", run), scene.now);
            scene.pass(1, "b2", "b3");
        }
        scene.serve("b1", 10);
        assertThat(scene.standing("b1")).isEqualTo(Standing.UNCHECKED);
    }

    /** keepalived restarts, or the director's cable is out: all checks fail, and nobody is to blame. */
    @Test
    void whenAllChecksFailAtOnceNobodyIsHeld() {
        for (int i = 0; i < 10; i++) {
            scene.pass(1, "b1", "b2", "b3");
            assertThat(scene.planned(true)).containsExactly("b1", "b2", "b3");
            scene.alive();
            assertThat(scene.standing("b1")).isEqualTo(Standing.DOWN);
        }
    }

    @Test
    void halfOfAPoolIsNeverHeldAndTheOnlyOneNeither() {
        scene.pass(1, "b1");
        for (int i = 0; i < 9; i++) {
            scene.pass(1, "b1");
            scene.alive();
        }
        assertThat(scene.standing("b1")).isEqualTo(Standing.DOWN);
        assertThat(scene.news("b1")).doesNotContain(What.HELD);

        Scene three = new Scene();
        for (int run = 1; run <= 9; run++) {
            three.serve("b1", run);
            three.serve("b2", run);
            three.serve("b3", run);
            three.now += Scene.SECOND;
        }
        assertThat(three.membership.members()).filteredOn(member -> member.standing() == Standing.HELD).hasSize(1);
        assertThat(three.news("b2")).as("nor held and released again").doesNotContain(What.HELD);
        // The two others go, and the one that is held is better than none.
        for (int second = 0; second < 4; second++) {
            three.now += Scene.SECOND;
            three.serve("b1", 9);
        }
        assertThat(three.standing("b1")).isEqualTo(Standing.UNCHECKED);
        assertThat(three.planned(true)).containsExactly("b1");
    }
}
