package org.tamanoir.tests.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.Treatment;

/** Random rules over the {@link Pool} of a round: of a dozen shapes, all actions in all orders. */
final class RandomRules {
    /** Fewer than the engines take, so that none is refused. */
    private static final int SHAPES = 12;
    private static final int[] FOUR = {0, 8, 12, 16, 23, 24, 31, 32};
    private static final int[] SIX = {3, 16, 32, 48, 63, 64, 65, 127, 128};

    /** Which fields a rule asks for; -1 for no prefix. */
    private record Shape(boolean type, boolean session, boolean six, int destination, int source) {
    }

    private final Random random;
    private final Pool pool;
    private final List<Shape> shapes = new ArrayList<>();

    RandomRules(Random random, Pool pool) {
        this.random = random;
        this.pool = pool;
        for (int i = 0; i < SHAPES; i++) {
            boolean six = random.nextBoolean();
            int[] lengths = six ? SIX : FOUR;
            shapes.add(new Shape(random.nextInt(4) > 0, random.nextInt(4) == 0, six, random.nextBoolean() ? Pool.any(random, lengths) : -1,
                    random.nextInt(3) == 0 ? Pool.any(random, lengths) : -1));
        }
    }

    LightRule next(String name) {
        Shape shape = shapes.get(random.nextInt(shapes.size()));
        Match match = new Match(shape.type ? pool.type() : null, prefix(shape.six, shape.destination, true),
                prefix(shape.six, shape.source, false), shape.session ? pool.session() : null, false);
        return new LightRule(name, match, actions());
    }

    private Prefix prefix(boolean six, int length, boolean destination) {
        if (length < 0) {
            return null;
        }
        String address = (destination ? pool.destination(six) : pool.sender(six).getAddress()).getHostAddress();
        return Prefix.parse(address + "/" + length);
    }

    private List<Action> actions() {
        List<Action> actions = new ArrayList<>();
        if (random.nextInt(3) > 0) {
            actions.add(Action.count());
        }
        if (random.nextInt(3) == 0) {
            actions.add(Action.dscp(random.nextInt(64)));
        }
        if (random.nextInt(2) == 0) {
            actions.add(new Action.Police(meter(), random.nextBoolean(), treatment(), treatment(), treatment()));
        }
        Collections.shuffle(actions, random);
        int last = random.nextInt(10);
        if (last < 6) {
            int target = random.nextInt(4);
            actions.add(target == 0 ? Action.forward(pool.target(1)) : target == 1 ? Action.forward(pool.target(2)) : Action.forward());
        } else if (last < 8 || actions.isEmpty()) {
            actions.add(Action.drop());
        }
        return actions;
    }

    /** Rates and bursts around those at which packets of a few hundred octets a millisecond change colour, and the largest. */
    private Meter meter() {
        boolean huge = random.nextInt(10) == 0;
        long rate = huge ? Meter.MOST_RATE - random.nextInt(1_000) : 1 + random.nextInt(2_000_000);
        long burst = huge ? Meter.MOST_BURST - random.nextInt(1_000) : 1 + random.nextInt(5_000);
        if (random.nextBoolean()) {
            return Meter.singleRate(rate, random.nextInt(8) == 0 ? 0 : burst, 1 + random.nextInt(5_000));
        }
        return Meter.twoRate(rate, burst, Math.min(Meter.MOST_RATE, rate + random.nextInt(1_000_000)), 1 + random.nextInt(8_000));
    }

    private Treatment treatment() {
        int kind = random.nextInt(3);
        return kind == 0 ? Treatment.PASS : kind == 1 ? Treatment.DROP : Treatment.mark(random.nextInt(64));
    }
}
