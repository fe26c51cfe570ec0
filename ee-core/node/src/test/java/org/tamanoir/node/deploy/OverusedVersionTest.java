package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.node.deploy.VersionLifecycleTest.World;
import org.tamanoir.node.service.RunningService;

/** What becomes of a version that takes too much of what all share. */
class OverusedVersionTest {
    @Test
    void aServiceThatTakesTooMuchLosesItsStreamsAtOnceAndComesBackAfterAPause() {
        World world = new World();
        world.ask(null);
        RunningService service = world.starts("1.0.0");
        assertThat(service.open()).isTrue();
        world.streams.add(service);
        for (int i = 0; i < 2; i++) {
            // Once is enough, however often it is said.
            world.line.overused(world.now, service, "it holds the heap");
            world.act();
        }
        assertThat(world.current).isNull();
        assertThat(world.state("1.0.0")).isEqualTo("failed");
        assertThat(service.streams()).isZero();
        assertThat(world.line.statuses(world.now).get(0).reason()).contains("EE-310").contains("it holds the heap");
        assertThat(world.ask(null)).isCompletedExceptionally();
        world.pass(1);
        assertThat(world.uninstalled).containsExactly(service);
        assertThat(world.acquiring).as("after the first pause").hasSize(1);
    }

    @Test
    void aNewVersionThatTakesTooMuchGoesBackAndAnOldOneJustEnds() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        assertThat(one.open()).isTrue();
        world.streams.add(one);
        world.upgrade(null);
        RunningService two = world.starts("1.1.0");
        world.line.overused(world.now, two, "it holds the heap");
        world.act();
        assertThat(world.current).isSameAs(one);
        assertThat(world.state("1.1.0")).isEqualTo("failed");
        assertThat(world.uninstalled).containsExactly(two);
        world.upgrade(null);
        RunningService three = world.starts("1.2.0");
        world.line.overused(world.now, one, "it holds the heap");
        world.act();
        assertThat(world.current).isSameAs(three);
        assertThat(world.state("1.0.0")).isEqualTo("removed");
        assertThat(one.streams()).isZero();
    }
}
