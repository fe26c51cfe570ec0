package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.deploy.Descriptor;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.tuning.Tuning;
import org.tamanoir.service.Level;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** Who serves a stream: all of its services or none, the version that still takes streams, or others. */
class StreamEnvironmentTest {
    private static final int A = 0x5501;
    private static final int B = 0x5502;

    private final Map<Integer, Deque<CompletableFuture<RunningService>>> answers = new HashMap<>();
    private final List<Integer> asked = new ArrayList<>();
    private final PoolTable pools = new PoolTable();
    private final StreamCounters counters = new StreamCounters();
    private final StreamEnvironment environment = new StreamEnvironment(null, new AccessControl(null, Clock.systemUTC()), StageRig.SELF, StreamLimits::defaults, null, null, (typeId, destination, previous) -> {
        asked.add(typeId);
        Deque<CompletableFuture<RunningService>> ofType = answers.get(typeId);
        return ofType.size() > 1 ? ofType.poll() : ofType.peek();
    }, null, null, null, null, null, counters, null, new PoolChoice(pools, (typeId, previous) ->
            CompletableFuture.completedFuture(new Descriptor(typeId, "name", Level.HEAVY))), null, null, null, null, null, new Tuning(any -> null, 1));

    private RunningService has(int typeId, int streams) {
        ServicePolicy policy = TestService.holding(FailurePolicy.RESTART, 1 << 20);
        RunningService service = TestService.of(typeId, "service", Level.MIDDLE, new ServicePolicy(policy.onFailure(), policy.timeout(), streams,
                policy.memoryBytes(), policy.queueBytes(), policy.failures(), policy.window(), policy.backOff(), policy.mostBackOff(), policy.blocksBytes(), policy.reaches(), policy.connections(), policy.heapBytes(), policy.threads(), policy.workers(), policy.wasm()),
                stream -> (packet, out) -> Verdict.PASS);
        says(typeId, CompletableFuture.completedFuture(service));
        return service;
    }

    private void says(int typeId, CompletableFuture<RunningService> answer) {
        answers.computeIfAbsent(typeId, unused -> new ArrayDeque<>()).add(answer);
    }

    private static StreamInfo info(boolean needAll) {
        return new StreamInfo(42, 0, List.of(A, B), Transport.TCP, Position.INGRESS, StageRig.SOURCE, StageRig.DESTINATION, StageRig.NEXT, List.of(), Delivery.ANEP,
                new PacketOptions(), needAll, List.of(A, B), false, null, true, false, false);
    }

    private CompletableFuture<StreamEnvironment.Serving> serving(boolean needAll, boolean fixed) {
        return environment.serving(info(needAll), new InetSocketAddress(StageRig.SOURCE.getAddress(), 0), fixed);
    }

    private static ErrorCode code(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return StreamEnvironment.reason(catchThrowable(failed::join)).code();
    }

    @Test
    void theServicesComeInTheOrderOfTheChainWhenTheLastIsThere() {
        CompletableFuture<RunningService> slow = new CompletableFuture<>();
        says(A, slow);
        RunningService b = has(B, 10);
        CompletableFuture<StreamEnvironment.Serving> serving = serving(true, false);
        assertThat(serving).isNotDone();
        assertThat(b.streams()).as("nobody uses it yet").isZero();
        RunningService a = TestService.of(A, "late", Level.MIDDLE, FailurePolicy.RESTART, stream -> null);
        slow.complete(a);
        assertThat(serving.join().services()).containsExactly(a, b);
        assertThat(a.streams()).isEqualTo(1);
        assertThat(b.streams()).isEqualTo(1);
        serving.join().unused();
        assertThat(a.streams() + b.streams()).isZero();
    }

    @Test
    void aServiceThatCannotBeHadEndsTheStreamOrIsLeftOut() {
        RunningService a = has(A, 10);
        says(B, CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "test")));
        assertThat(code(serving(true, false))).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
        assertThat(a.streams()).as("streams of the one that was there").isZero();
        assertThat(serving(false, false).join().services()).containsExactly(a);
        assertThat(counters.servicesLeftOut().sum()).isEqualTo(1);
    }

    @Test
    void aVersionThatWasRetiredMeanwhileIsAskedForAgain() {
        RunningService a = has(A, 10);
        RunningService old = has(B, 10);
        RunningService successor = has(B, 10);
        assertThat(old.retire()).isTrue();
        assertThat(serving(true, false).join().services()).containsExactly(a, successor);
        assertThat(a.streams()).as("not twice").isEqualTo(1);
        assertThat(asked).containsExactly(A, B, A, B);
    }

    @Test
    void aServiceThatTakesNoMoreStreamsEndsThisOneAndLetsGoOfTheOthers() {
        RunningService a = has(A, 10);
        has(B, 0);
        assertThat(code(serving(true, false))).isEqualTo(ErrorCode.SERVICE_LIMIT);
        assertThat(a.streams()).isZero();
    }

    @Test
    void whatPoolsServeNeedsNoServiceHereUnlessARuleSaysWhereItGoes() {
        has(A, 10);
        has(B, 10);
        Pool pool = new Pool(StageRig.address("10.0.1.100", 3322), true, Set.of(), Set.of());
        pools.replace(List.of(pool));
        StreamEnvironment.Serving handed = serving(true, false).join();
        assertThat(handed.handed().pool()).isEqualTo(pool);
        assertThat(handed.services()).isEmpty();
        assertThat(asked).isEmpty();
        StreamEnvironment.Serving fixed = serving(true, true).join();
        assertThat(fixed.handed()).isNull();
        assertThat(fixed.services()).hasSize(2);
    }

    @Test
    void whateverAFutureFailsWithHasACode() {
        AnepException known = new AnepException(ErrorCode.NO_ROUTE, "test");
        assertThat(StreamEnvironment.reason(new java.util.concurrent.CompletionException(known))).isSameAs(known);
        assertThat(StreamEnvironment.reason(new IllegalStateException("x")).code()).isEqualTo(ErrorCode.INTERNAL);
    }
}
