package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Verdict;

/** The versions of one service, driven by a clock of the test: what streams get, and that nothing is lost or left behind. */
class VersionLifecycleTest {
    private static final int TYPE = 0x5501;
    private static final long SECOND = 1_000_000_000L;
    private static final Asker PEER = Asker.of(new InetSocketAddress("192.0.2.1", 0));
    private static final Asker OTHER = Asker.of(new InetSocketAddress("192.0.2.2", 0));
    private static final LifecycleSettings SETTINGS = new LifecycleSettings(Duration.ofSeconds(60), Duration.ofSeconds(10), 20, 3, Duration.ofSeconds(5));

    /** A line, and somebody who does what it says and keeps books. */
    static final class World {
        final VersionLifecycle line = new VersionLifecycle(TYPE, () -> SETTINGS);
        final List<ServiceVersion> acquiring = new ArrayList<>();
        final List<Asker> joined = new ArrayList<>();
        final Set<RunningService> installed = new HashSet<>();
        final Set<RunningService> uninstalled = new HashSet<>();
        final List<RunningService> streams = new ArrayList<>();
        final List<CompletableFuture<RunningService>> asked = new ArrayList<>();
        RunningService current;
        FoundBundle chosen;
        long now = 1;

        void act() {
            for (LifecycleAction action : line.actions()) {
                if (action instanceof LifecycleAction.Acquire acquire) {
                    acquiring.add(acquire.version());
                } else if (action instanceof LifecycleAction.Join join) {
                    joined.add(join.asker());
                } else if (action instanceof LifecycleAction.Current change) {
                    current = change.service();
                } else if (action instanceof LifecycleAction.Choose choose) {
                    chosen = choose.bundle();
                } else if (action instanceof LifecycleAction.Answer answer) {
                    if (answer.error() == null) {
                        answer.waiting().complete(answer.service());
                    } else {
                        answer.waiting().completeExceptionally(answer.error());
                    }
                } else if (action instanceof LifecycleAction.EndStreams end) {
                    streams.stream().filter(service -> service == end.service()).forEach(RunningService::closed);
                    streams.removeIf(service -> service == end.service());
                } else if (action instanceof LifecycleAction.Uninstall uninstall) {
                    assertThat(uninstalled.add(uninstall.service())).as("uninstalled once").isTrue();
                } else if (action instanceof LifecycleAction.Tell tell) {
                    assertThat(tell.from() == null ? tell.to() == ServiceState.RESOLVING : tell.from().mayBecome(tell.to()))
                            .as("%s to %s", tell.from(), tell.to()).isTrue();
                }
            }
        }

        CompletableFuture<RunningService> ask(String wanted) {
            return ask(wanted, PEER);
        }

        CompletableFuture<RunningService> ask(String wanted, Asker asker) {
            CompletableFuture<RunningService> future = line.ask(now, wanted, asker);
            asked.add(future);
            act();
            return future;
        }

        CompletableFuture<RunningService> upgrade(String wanted) {
            CompletableFuture<RunningService> future = line.upgrade(now, wanted);
            asked.add(future);
            act();
            return future;
        }

        /** The oldest attempt finds a version, which starts. */
        RunningService starts(String version) {
            ServiceVersion coming = acquiring.remove(0);
            if (!line.found(now, coming, bundle(version), "here")) {
                act();
                return null;
            }
            line.step(coming, ServiceState.FETCHING);
            line.step(coming, ServiceState.VERIFYING);
            line.step(coming, ServiceState.INSTALLING);
            RunningService running = running(version, FailurePolicy.RESTART);
            installed.add(running);
            line.started(now, coming, running);
            act();
            return running;
        }

        void fails(ErrorCode code) {
            line.failed(now, acquiring.remove(0), new AnepException(code, "so it is"), "advice");
            act();
        }

        void pass(long seconds) {
            now += seconds * SECOND;
            line.tick(now);
            act();
        }

        void streamFails(RunningService service) {
            line.streamFailed(now, service, new AnepException(ErrorCode.SERVICE_ERROR, "a defect"));
            act();
        }

        String state(String version) {
            return line.statuses(now).stream().filter(status -> version.equals(status.version())).map(status -> status.state())
                    .reduce((one, other) -> other).orElse("none");
        }
    }

    private static FoundBundle bundle(String version) {
        return new FoundBundle(TYPE, "test", version, "middle", "sha-of-" + version, 1, null);
    }

    private static RunningService running(String version, FailurePolicy policy) {
        return new RunningService(TYPE, Level.MIDDLE, stream -> (packet, out) -> Verdict.PASS,
                new NodeServiceContext("test", version, new MapConfiguration("test", Map.of()), null, Map.of(), null,
                        new NodeMeans(null, null, null, null, null, null, null, null, null, null)), 1,
                ServicePolicy.preset(policy, Duration.ofSeconds(1)));
    }

    @Test
    void newStreamsGetTheNewVersionAndOldOnesFinishOnTheOld() {
        World world = new World();
        CompletableFuture<RunningService> first = world.ask(null);
        RunningService one = world.starts("1.0.0");
        assertThat(first).isCompletedWithValue(one);
        assertThat(one.open()).isTrue();
        world.upgrade(null);
        assertThat(world.ask(null)).as("while the new one is on its way").isCompletedWithValue(one);
        RunningService two = world.starts("1.1.0");
        assertThat(world.ask(null)).isCompletedWithValue(two);
        assertThat(world.chosen.version()).isEqualTo("1.1.0");
        world.pass(15);
        assertThat(world.state("1.0.0")).as("a stream is on it").isEqualTo("draining");
        assertThat(one.open()).as("a stream that got it just before").isTrue();
        one.closed();
        one.closed();
        world.pass(1);
        assertThat(world.state("1.0.0")).isEqualTo("removed");
        assertThat(world.uninstalled).containsExactly(one);
        assertThat(one.open()).as("a stream that comes too late asks again").isFalse();
    }

    @Test
    void aVersionThatDoesNotStartChangesNothing() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        CompletableFuture<RunningService> upgrade = world.upgrade("1.1.0");
        world.fails(ErrorCode.SERVICE_START_FAILED);
        assertThat(upgrade).isCompletedExceptionally();
        assertThat(world.current).isSameAs(one);
        assertThat(world.ask(null)).isCompletedWithValue(one);
        assertThat(world.state("1.0.0")).isEqualTo("active");
    }

    @Test
    void theOldVersionComesBackWhenTheNewOneFailsItsFirstStreams() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        world.upgrade(null);
        RunningService two = world.starts("1.1.0");
        world.pass(2);
        assertThat(world.uninstalled).as("the old one is kept for a return").isEmpty();
        world.streamFails(two);
        world.streamFails(two);
        assertThat(world.current).isSameAs(two);
        world.streamFails(two);
        assertThat(world.current).isSameAs(one);
        assertThat(world.chosen.version()).isEqualTo("1.0.0");
        assertThat(world.state("1.1.0")).isEqualTo("failed");
        assertThat(world.state("1.0.0")).isEqualTo("active");
        assertThat(world.line.returnedFrom()).containsExactly("1.1.0");
        world.pass(1);
        assertThat(world.uninstalled).containsExactly(two);
    }

    /** A version has proved itself by time or by streams, whatever comes first: 20 streams here, long before the 10 s are over. */
    @Test
    void afterTheStreamsOfItsProbationFailuresBringNothingBack() {
        for (int streams : new int[] {20, 21}) {
            World world = new World();
            world.ask(null);
            RunningService one = world.starts("1.0.0");
            world.upgrade(null);
            RunningService two = world.starts("1.1.0");
            for (int i = 0; i < streams; i++) {
                two.open();
                two.closed();
            }
            for (int i = 0; i < SETTINGS.failures(); i++) {
                world.streamFails(two);
            }
            assertThat(world.current).as("after %d streams", streams).isSameAs(streams == 20 ? one : two);
        }
    }

    @Test
    void afterProbationFailuresBringNothingBack() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        world.upgrade(null);
        RunningService two = world.starts("1.1.0");
        world.pass(11);
        for (int i = 0; i < 10; i++) {
            world.streamFails(two);
        }
        assertThat(world.current).isSameAs(two);
        assertThat(world.uninstalled).containsExactly(one);
    }

    @Test
    void aServiceThatFailsOftenIsStartedAnewWithGrowingPausesAndNobodyGetsItMeanwhile() {
        World world = new World();
        world.ask(null);
        RunningService service = world.starts("1.0.0");
        long[] pauses = {1, 2, 4, 8};
        for (long pause : pauses) {
            world.line.streamFailed(world.now, service, new AnepException(ErrorCode.SERVICE_ERROR, "a defect"));
            world.line.tripped(world.now, service);
            world.act();
            assertThat(world.current).isNull();
            assertThat(world.ask(null)).isCompletedExceptionally();
            world.now += pause * SECOND - 1;
            world.pass(0);
            assertThat(world.acquiring).as("before %s s", pause).isEmpty();
            world.now += 1;
            world.pass(0);
            assertThat(world.acquiring).as("after %s s", pause).hasSize(1);
            assertThat(world.acquiring.get(0).wanted()).as("the same version").isEqualTo("1.0.0");
            service = world.starts("1.0.0");
            assertThat(world.ask(null)).isCompletedWithValue(service);
        }
        world.pass(1);
        assertThat(world.uninstalled).hasSize(pauses.length);
    }

    @Test
    void aFreshStartIsTheNodesOwnWorkAlsoWhenAStreamIsTheFirstToAsk() {
        World world = new World();
        world.ask(null);
        assertThat(world.acquiring.get(0).asker).isEqualTo(PEER);
        RunningService service = world.starts("1.0.0");
        world.line.tripped(world.now, service);
        world.act();
        world.now += SECOND;
        assertThat(world.ask(null)).isNotDone();
        assertThat(world.acquiring).singleElement().extracting(version -> version.asker).isEqualTo(Asker.NODE);
    }

    @Test
    void whoeverAsksForWhatIsBeingGotForAnotherPeerDoesNotWaitForThatPeersTurn() {
        World world = new World();
        CompletableFuture<RunningService> first = world.ask(null);
        CompletableFuture<RunningService> second = world.ask(null, OTHER);
        world.upgrade(null);
        assertThat(world.acquiring).hasSize(1);
        assertThat(world.joined).containsExactly(OTHER, Asker.NODE);
        RunningService service = world.starts("1.0.0");
        assertThat(first).isCompletedWithValue(service);
        assertThat(second).isCompletedWithValue(service);
    }

    @Test
    void aRefusalForLackOfRoomIsNotRememberedAgainstTheService() {
        World world = new World();
        assertThat(world.ask(null)).isNotDone();
        world.fails(ErrorCode.BUSY);
        assertThat(world.ask(null, OTHER)).isNotDone();
        world.fails(ErrorCode.REPOSITORY_UNREACHABLE);
        assertThat(world.ask(null, OTHER)).isCompletedExceptionally();
        assertThat(world.ask("1.0.0")).isNotDone();
        world.fails(ErrorCode.BUSY);
        assertThat(world.ask("1.0.0")).isNotDone();
    }

    @Test
    void underBypassStreamsGetAStandInUntilTheServiceIsBack() {
        World world = new World();
        world.ask(null);
        ServiceVersion coming = world.acquiring.remove(0);
        world.line.found(world.now, coming, bundle("1.0.0"), "here");
        world.line.step(coming, ServiceState.VERIFYING);
        world.line.step(coming, ServiceState.INSTALLING);
        RunningService service = running("1.0.0", FailurePolicy.BYPASS);
        world.line.started(world.now, coming, service);
        world.act();
        world.line.tripped(world.now, service);
        world.act();
        RunningService standIn = world.ask(null).join();
        assertThat(standIn).isNotSameAs(service).isSameAs(world.current);
        assertThat(standIn.open()).isTrue();
        world.pass(2);
        RunningService again = world.starts("1.0.0");
        assertThat(world.ask(null)).isCompletedWithValue(again);
    }

    @Test
    void aRevokedVersionIsTakenFromItsStreamsAtOnce() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        one.open();
        world.streams.add(one);
        world.line.revoke(world.now, world.line.versions().get(0), new AnepException(ErrorCode.REVOKED, "its key"));
        world.act();
        assertThat(world.current).isNull();
        assertThat(world.streams).isEmpty();
        world.pass(1);
        assertThat(world.uninstalled).containsExactly(one);
        assertThat(world.chosen).isNull();
    }

    @Test
    void aPinnedVersionRunsBesideTheCurrentOneUntilNothingPinsIt() {
        World world = new World();
        world.ask(null);
        RunningService two = world.starts("2.0.0");
        world.line.pins(world.now, Set.of("1.0.0"));
        CompletableFuture<RunningService> pinned = world.ask("1.0.0");
        RunningService one = world.starts("1.0.0");
        assertThat(pinned).isCompletedWithValue(one);
        assertThat(world.ask(null)).isCompletedWithValue(two);
        world.pass(100);
        assertThat(world.state("1.0.0")).isEqualTo("active");
        world.line.pins(world.now, Set.of());
        world.pass(1);
        assertThat(world.uninstalled).containsExactly(one);
    }

    @Test
    void whatIsUndeployedIsGivenToNoNewStreamAndDrainsForThoseThatHaveIt() {
        World world = new World();
        world.ask(null);
        RunningService one = world.starts("1.0.0");
        one.open();
        world.line.undeploy(world.now, null);
        world.act();
        assertThat(world.current).isNull();
        assertThat(world.state("1.0.0")).isEqualTo("draining");
        assertThat(world.line.isForgettable(world.now)).as("a stream is on it").isFalse();
        one.closed();
        world.pass(1);
        assertThat(world.uninstalled).containsExactly(one);
        assertThat(world.line.isForgettable(world.now)).isTrue();
    }

    @Test
    void whatIsUndeployedOnItsWayIsRefusedToThoseWhoWait() {
        World world = new World();
        CompletableFuture<RunningService> asked = world.ask(null);
        assertThat(world.line.isForgettable(world.now)).isFalse();
        world.line.undeploy(world.now, "another");
        world.act();
        assertThat(asked).isNotDone();
        world.line.undeploy(world.now, null);
        world.act();
        assertThat(asked).isCompletedExceptionally();
        assertThat(asked.handle((service, error) -> ((AnepException) error).code()).join()).isEqualTo(ErrorCode.SERVICE_REMOVED);
        assertThat(world.line.isForgettable(world.now)).isTrue();
    }

    /** The same content twice would be two services with one state. */
    @Test
    void contentThatRunsForAPinBecomesCurrentAndIsNotStartedTwice() {
        World world = new World();
        world.ask(null);
        RunningService two = world.starts("2.0.0");
        world.line.pins(world.now, Set.of("1.0.0"));
        world.ask("1.0.0");
        RunningService one = world.starts("1.0.0");
        CompletableFuture<RunningService> upgrade = world.upgrade(null);
        assertThat(world.starts("1.0.0")).as("it runs already").isNull();
        assertThat(upgrade).isCompletedWithValue(one);
        assertThat(world.current).isSameAs(one);
        assertThat(world.state("1.0.0")).isEqualTo("active");
        world.pass(11);
        assertThat(world.uninstalled).containsExactly(two);
    }

    /** Any history: at most one version is current and it runs; a service is never missing because of an upgrade; nobody waits for ever. */
    @Property(tries = 3000)
    void whateverHappensStreamsAreServedAndNothingIsLeftBehind(@ForAll long seed) {
        Random random = new Random(seed);
        World world = new World();
        String[] versions = {"1.0.0", "1.1.0", "2.0.0"};
        for (int i = 0; i < 120; i++) {
            RunningService before = world.current;
            String version = versions[random.nextInt(versions.length)];
            boolean mayVanish = false;
            switch (random.nextInt(12)) {
                case 0 -> {
                    CompletableFuture<RunningService> got = world.ask(random.nextInt(4) == 0 ? version : null);
                    if (got.isDone() && !got.isCompletedExceptionally() && got.join().open()) {
                        world.streams.add(got.join());
                    }
                }
                case 1 -> world.upgrade(random.nextBoolean() ? version : null);
                case 2, 3 -> {
                    if (!world.acquiring.isEmpty()) {
                        String wanted = world.acquiring.get(0).wanted();
                        world.starts(wanted == null ? version : wanted);
                    }
                }
                case 4 -> {
                    if (!world.acquiring.isEmpty()) {
                        world.fails(ErrorCode.REPOSITORY_UNREACHABLE);
                    }
                }
                case 5, 6 -> {
                    if (!world.streams.isEmpty()) {
                        world.streams.remove(random.nextInt(world.streams.size())).closed();
                    }
                }
                case 7 -> {
                    if (!world.streams.isEmpty()) {
                        world.streamFails(world.streams.get(random.nextInt(world.streams.size())));
                    }
                }
                case 8 -> world.pass(random.nextInt(20));
                case 9 -> {
                    if (world.current != null && random.nextInt(3) == 0) {
                        world.line.tripped(world.now, world.current);
                        world.act();
                        mayVanish = true;
                    }
                }
                case 10 -> {
                    if (random.nextInt(3) == 0) {
                        world.line.undeploy(world.now, random.nextBoolean() ? version : null);
                        world.act();
                        mayVanish = true;
                    }
                }
                default -> {
                    List<ServiceVersion> all = world.line.versions();
                    if (!all.isEmpty() && random.nextInt(4) == 0) {
                        world.line.revoke(world.now, all.get(random.nextInt(all.size())), new AnepException(ErrorCode.REVOKED, "it"));
                        world.act();
                        mayVanish = true;
                    }
                }
            }
            assertThat(world.line.versions().stream().filter(each -> each == world.line.current()).count()).isLessThanOrEqualTo(1);
            if (before != null && !mayVanish) {
                assertThat(world.current).as("step %s of seed %s", i, seed).isNotNull();
            }
            if (world.line.current() != null) {
                assertThat(world.line.current().state).isEqualTo(ServiceState.ACTIVE);
                assertThat(world.current).isSameAs(world.line.current().running);
                assertThat(world.uninstalled).doesNotContain(world.current);
            }
            assertThat(world.line.versions().size()).as("what is remembered").isLessThan(40);
        }
        // The end of it all: everything that was begun is finished, and everything that was started is taken out.
        while (!world.acquiring.isEmpty()) {
            world.fails(ErrorCode.STOPPING);
        }
        world.line.undeploy(world.now, null);
        world.line.pins(world.now, Set.of());
        world.act();
        world.streams.forEach(RunningService::closed);
        world.streams.clear();
        world.pass(100);
        while (!world.acquiring.isEmpty()) {
            world.fails(ErrorCode.STOPPING);
        }
        assertThat(world.asked).allMatch(CompletableFuture::isDone);
        assertThat(world.uninstalled).isEqualTo(world.installed);
    }
}
