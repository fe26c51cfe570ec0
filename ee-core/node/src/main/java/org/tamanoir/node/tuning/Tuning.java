package org.tamanoir.node.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.SocketTuning;

/** The rules of a node for its legs. Any thread; {@link TunedLeg} is what asks it. */
public final class Tuning {
    private static final Logger LOG = LoggerFactory.getLogger(Tuning.class);
    /** Calls of {@link #look} between two questions to the kernel for what it has refused. */
    private static final int LOOKS = 20;

    private final Function<SocketTuning, String> kernel;
    private final SplittableRandom seeds;
    private final LongAdder takenBack = new LongAdder();
    private volatile Consumer<String> told = news -> { };
    private volatile List<RuleState> rules = List.of();
    /** Changes with everything that a leg may have to ask again for. */
    private final AtomicInteger turn = new AtomicInteger();
    private int looks;

    /**
     * @param kernel why it does not do something; null if it does
     * @param seed   of the order in which legs get a rule
     */
    public Tuning(Function<SocketTuning, String> kernel, long seed) {
        this.kernel = kernel;
        this.seeds = new SplittableRandom(seed);
    }

    /** Has somebody told what happens to rules, in a line each. Must not block. */
    public void listen(Consumer<String> listener) {
        told = listener;
        rules.stream().filter(rule -> rule.problem() != null)
                .forEach(rule -> listener.accept("rule " + rule.rule().name() + " is refused, and its streams run as before: " + rule.problem()));
    }

    /** Puts rules in force. What was found out about one that is there already, and says the same, stays. */
    public synchronized void configure(List<TuneRule> now) {
        List<RuleState> before = rules;
        List<RuleState> next = new ArrayList<>();
        for (TuneRule rule : now) {
            next.add(before.stream().filter(each -> each.rule().equals(rule)).findFirst().orElseGet(() -> new RuleState(rule, seeds.nextLong())));
        }
        rules = List.copyOf(next);
        next.forEach(this::ask);
        turn.incrementAndGet();
    }

    private void ask(RuleState rule) {
        tell(rule.refused(kernel.apply(rule.rule().tuning())));
    }

    /** To be called now and then: what the kernel has refused it may do by now. */
    public void look() {
        if (++looks % LOOKS == 0) {
            rules.stream().filter(rule -> rule.problem() != null).forEach(this::ask);
        }
    }

    /** Whether there are rules. */
    public boolean isOn() {
        return !rules.isEmpty();
    }

    int turn() {
        return turn.get();
    }

    RuleState find(LegFacts leg) {
        for (RuleState state : rules) {
            if (state.rule().match().matches(leg)) {
                return state;
            }
        }
        return null;
    }

    /** Something has happened to a rule: legs ask again. @param what null for nothing */
    void tell(String what) {
        if (what != null) {
            turn.incrementAndGet();
            LOG.info("{}", what);
            told.accept(what);
        }
    }

    void heard(RuleState rule, RuleState.Given given, LegSample said) {
        String news = rule.heard(given, said);
        if (news != null && rule.isTakenBack()) {
            takenBack.increment();
        }
        tell(news);
    }

    /** Has a rule prove itself anew. @throws AnepException EE-407 if there is none of that name */
    public void reset(String name) {
        RuleState rule = rules.stream().filter(each -> each.rule().name().equals(name)).findFirst()
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "tune of the configuration has no rule '" + name + "'"));
        rule.reset(nextSeed());
        ask(rule);
        tell("rule " + name + (rule.rule().proves() ? " has to prove itself anew" : " begins anew; it has nothing to prove (probation: false)"));
    }

    private synchronized long nextSeed() {
        return seeds.nextLong();
    }

    /** In the order in which they are asked. */
    public List<RuleStatus> status() {
        return rules.stream().map(RuleState::status).toList();
    }

    /** Rules that were taken back since the node began. */
    public LongAdder takenBack() {
        return takenBack;
    }
}
