package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.Descriptor;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.service.Level;

class PoolChoiceTest {
    private static final int FOLD = 0x5501;
    private static final int SHOUT = 0x5502;
    private static final int COUNT = 0x5503;
    private static final Pool HEAVY = new Pool(new InetSocketAddress("10.0.1.100", 3322), true, Set.of(), Set.of());
    private static final Pool BY_ID = new Pool(new InetSocketAddress("10.0.1.101", 3322), false, Set.of(COUNT), Set.of());
    private static final Pool BY_NAME = new Pool(new InetSocketAddress("10.0.1.102", 3322), false, Set.of(), Set.of("shout"));

    private final PoolTable pools = new PoolTable();
    private final Map<Integer, CompletableFuture<Descriptor>> answers = new HashMap<>();
    private final List<Integer> asked = new ArrayList<>();
    private final PoolChoice choice = new PoolChoice(pools, (typeId, previous) -> {
        asked.add(typeId);
        return answers.get(typeId);
    });
    private boolean backEnd;
    private InetSocketAddress own;

    PoolChoiceTest() {
        is(FOLD, "fold", Level.HEAVY);
        is(SHOUT, "shout", Level.MIDDLE);
        is(COUNT, "count", Level.MIDDLE);
        pools.at(new PoolTable.Place() {
            @Override
            public boolean serves(InetSocketAddress address) {
                return address.equals(own);
            }

            @Override
            public boolean isBackEnd() {
                return backEnd;
            }
        });
    }

    private void is(int typeId, String name, Level level) {
        answers.put(typeId, CompletableFuture.completedFuture(new Descriptor(typeId, name, level)));
    }

    private void fails(int typeId, ErrorCode code) {
        answers.put(typeId, CompletableFuture.failedFuture(new AnepException(code, "test")));
    }

    private Pool of(int... typeIds) {
        PoolAssignment handed = decided(false, true, typeIds).join();
        return handed == null ? null : handed.pool();
    }

    private CompletableFuture<PoolAssignment> decided(boolean handedOver, boolean needAll, int... typeIds) {
        CompletableFuture<PoolAssignment> decided = choice.of(java.util.Arrays.stream(typeIds).boxed().toList(), handedOver, null, needAll);
        assertThat(decided).isDone();
        return decided;
    }

    private static ErrorCode code(CompletableFuture<PoolAssignment> failed) {
        return StreamEnvironment.reason(failed.handle((handed, cause) -> cause).join()).code();
    }

    @Test
    void aStreamGoesAsAWholeToWhoIsNamedForOneOfItsServicesOrElseByLevel() {
        assertThat(of(FOLD)).isNull();
        assertThat(asked).as("without pools nobody is asked").isEmpty();
        pools.replace(List.of(HEAVY, BY_ID, BY_NAME));
        assertThat(of(FOLD)).isEqualTo(HEAVY);
        assertThat(of(SHOUT)).isEqualTo(BY_NAME);
        assertThat(of(FOLD, SHOUT)).as("a name goes before a level").isEqualTo(BY_NAME);
        is(0x5504, "light", Level.LIGHT);
        is(0x5505, "odd", null);
        assertThat(of(0x5504, 0x5505)).isNull();
        assertThat(of(0x5504, FOLD)).isEqualTo(HEAVY);
        assertThat(of()).isNull();
        asked.clear();
        assertThat(of(FOLD, COUNT)).isEqualTo(BY_ID);
        pools.replace(List.of(BY_ID));
        assertThat(of(FOLD)).isNull();
        assertThat(of(COUNT)).isEqualTo(BY_ID);
        assertThat(asked).as("a Type ID needs no descriptor").isEmpty();
    }

    @Test
    void aServiceOfWhichNobodySaysWhatItIsEndsTheStreamUnlessItIsUnknownOrNotNeeded() {
        pools.replace(List.of(HEAVY, BY_ID));
        fails(SHOUT, ErrorCode.REPOSITORY_UNREACHABLE);
        assertThat(code(decided(false, true, SHOUT))).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
        assertThat(decided(false, false, SHOUT).join()).as("it may be left out").isNull();
        assertThat(of(SHOUT, FOLD)).as("the other one is known").isEqualTo(HEAVY);
        assertThat(of(SHOUT, COUNT)).isEqualTo(BY_ID);
        fails(SHOUT, ErrorCode.UNKNOWN_SERVICE);
        assertThat(of(SHOUT)).as("the node before may have it").isNull();
    }

    @Test
    void whatComesHandedOverIsHandedOnToNobody() {
        pools.replace(List.of(HEAVY, BY_ID));
        assertThat(code(decided(true, true, FOLD))).isEqualTo(ErrorCode.HOPS_EXHAUSTED);
        assertThat(code(decided(true, true, COUNT))).isEqualTo(ErrorCode.HOPS_EXHAUSTED);
        assertThat(decided(true, true, SHOUT).join()).as("it would not have to be handed over").isNull();
        backEnd = true;
        assertThat(decided(true, true, FOLD).join()).as("it is for this back end").isNull();
        assertThat(of(FOLD)).as("a back end of another pool is an edge node for this one").isEqualTo(HEAVY);
        own = HEAVY.to();
        assertThat(of(FOLD)).as("it is behind that address itself").isNull();
        backEnd = false;
        assertThat(decided(true, true, FOLD).join()).isNull();
        assertThat(of(COUNT)).isEqualTo(BY_ID);
    }

    @Test
    void aReplacedTableCountsOnForTheAddressesThatStay() {
        pools.replace(List.of(HEAVY, BY_ID));
        pools.count(HEAVY);
        pools.count(BY_ID);
        Pool more = new Pool(HEAVY.to(), true, Set.of(SHOUT), Set.of());
        pools.replace(List.of(more));
        pools.count(more);
        pools.count(BY_ID);
        assertThat(pools.counts()).isEqualTo(Map.of("10.0.1.100:3322", 2L));
    }
}
