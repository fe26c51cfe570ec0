package org.tamanoir.transfer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of given rates and a clock that jumps from event to event. */
@Tag("seeded")
class DispatchTest {
    private static final long PIECE = 8 << 20;

    private record Event(double at, int stream, Integer piece) {
    }

    /** What came of a run. @param seconds until everything was home @param raced octets that went twice */
    private record Outcome(double seconds, long raced) {
    }

    /** @param rates octets a second of each stream @param losses how many times a stream is lost, at random, and comes back */
    private static Outcome run(int pieces, double[] rates, int depth, int losses, Random random) {
        Dispatch<Integer> dispatch = new Dispatch<>();
        for (int i = 0; i < pieces; i++) {
            dispatch.add(i, PIECE);
        }
        Set<Integer> home = new HashSet<>();
        PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> Double.compare(a.at, b.at));
        List<List<Integer>> held = new ArrayList<>();
        int[] life = new int[rates.length];
        double now = 0;
        for (int stream = 0; stream < rates.length; stream++) {
            held.add(new ArrayList<>());
        }
        double total = pieces * PIECE / java.util.Arrays.stream(rates).sum();
        for (int i = 0; i < losses; i++) {
            events.add(new Event(random.nextDouble() * total, random.nextInt(rates.length), -1));
        }
        while (!dispatch.isDone()) {
            for (int stream = 0; stream < rates.length; stream++) {
                while (held.get(stream).size() < depth) {
                    Integer piece = dispatch.next(stream + 100 * life[stream], (long) (now * 1e9));
                    if (piece == null) {
                        break;
                    }
                    if (held.get(stream).isEmpty()) {
                        events.add(new Event(now + PIECE / rates[stream], stream + 100 * life[stream], piece));
                    }
                    held.get(stream).add(piece);
                }
            }
            Event event = events.remove();
            now = event.at;
            int stream = event.stream % 100;
            if (event.piece == -1) {
                dispatch.lost(stream + 100 * life[stream]);
                life[stream]++;
                held.get(stream).clear();
            } else if (event.stream / 100 == life[stream]) {
                boolean first = dispatch.done(event.stream, event.piece, (long) (now * 1e9));
                assertThat(home.add(event.piece)).as("first to bring %d home", event.piece).isEqualTo(first);
                held.get(stream).remove(event.piece);
                if (!held.get(stream).isEmpty()) {
                    events.add(new Event(now + PIECE / rates[stream], event.stream, held.get(stream).get(0)));
                }
            }
        }
        assertThat(home).hasSize(pieces);
        return new Outcome(now, dispatch.racedOctets());
    }

    /** Wrong: a share for each stream in advance, of which the slow one's takes 7.5 times as long; a last piece that all wait for. */
    @Test
    void aSlowStreamHoldsNobodyUp() {
        double mega = 1e6 / 8;
        double[] rates = {100 * mega, 100 * mega, 100 * mega, 10 * mega};
        Outcome outcome = run(256, rates, 2, 0, new Random(1));
        double ideal = 256 * PIECE / (310 * mega);
        assertThat(outcome.seconds / ideal).isBetween(1.0, 1.1);
        assertThat(outcome.raced / (256.0 * PIECE)).isLessThan(0.02);
    }

    /** Wrong: a piece that is lost with its stream, dealt twice at once, or counted twice. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyPieceComesHomeOnceWhoeverIsLost(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            double[] rates = random.doubles(1 + random.nextInt(8), 1e5, 1e8).toArray();
            run(random.nextInt(60), rates, 1 + random.nextInt(3), random.nextInt(20), random);
        }
    }

    /** Equal streams race for nothing. */
    @Test
    void nothingIsSentTwiceWhereAllAreAlike() {
        assertThat(run(1000, new double[] {1e7, 1e7, 1e7, 1e7}, 2, 0, new Random(1)).raced).isLessThanOrEqualTo(2 * PIECE);
    }
}
