package org.tamanoir.cluster.frontend;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.engine.Engine.EngineStatus;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.membership.Welcome.Method;

/** An engine that writes down what it is told, and says what the test says. */
final class ScriptedEngine implements Engine {
    final List<Plan> plans = new CopyOnWriteArrayList<>();
    final Set<Plan> refused = ConcurrentHashMap.newKeySet();
    volatile Set<String> answering = Set.of();
    volatile AnepException refusal;
    volatile boolean closed;

    @Override
    public String name() {
        return "scripted";
    }

    /** It knows NAT alone, as nftables do. */
    @Override
    public void check(Plan plan) {
        if (plan.services().stream().anyMatch(service -> service.method() != Method.NAT)) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "only NAT");
        }
    }

    @Override
    public void apply(Plan plan) {
        if (refusal != null) {
            refused.add(plan);
            throw refusal;
        }
        plans.add(plan);
    }

    /** The back ends of the first virtual service with their weights: {@code b1=100}. */
    List<String> carried() {
        return plans.isEmpty() ? List.of() : plans.get(plans.size() - 1).services().get(0).servers().stream().map(ScriptedEngine::text).toList();
    }

    private static String text(RealServer server) {
        return server.name() + "=" + server.weight();
    }

    @Override
    public Set<String> alive() {
        return answering;
    }

    @Override
    public List<Counters> counters() {
        return List.of();
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(true, "the test says so", "alone", null);
    }

    @Override
    public void close() {
        closed = true;
    }
}
