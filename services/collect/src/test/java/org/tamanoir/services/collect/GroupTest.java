package org.tamanoir.services.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.collective.Element;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Member;
import org.tamanoir.collective.Operation;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Ranks;
import org.tamanoir.collective.Reduction;
import org.tamanoir.collective.Signature;
import org.tamanoir.services.collect.SimulatedMember.Step;
import org.tamanoir.services.collect.SimulatedTree.Vertex;

/** Whole trees of nodes and members, simulated: what comes out is what one program would have made of it all, and whoever vanishes is named to all others in time. */
@Tag("seeded")
class GroupTest {
    private static final long PATIENCE = Duration.ofSeconds(3).toNanos();
    private static final Limits LIMITS = new Limits(100, 2000, 1 << 20, 1 << 20, 4, PATIENCE, Duration.ofMillis(5).toNanos());
    private static final long HOUR = Duration.ofHours(1).toNanos();

    /** A random world. */
    private static final class World {
        final SimulatedTree tree;
        final Random random;
        final int size;
        final List<List<Step>> steps = new ArrayList<>();
        final List<SimulatedMember> members = new ArrayList<>();
        final List<Vertex> places = new ArrayList<>();

        World(long seed) {
            tree = new SimulatedTree(seed, LIMITS);
            random = tree.random;
            int nodes = 1 + random.nextInt(7);
            for (int i = 0; i < nodes; i++) {
                tree.new Vertex(i == 0 ? null : tree.nodes.get(random.nextInt(i)));
            }
            size = 1 + random.nextInt(12);
            IntStream.range(0, size).forEach(rank -> steps.add(new ArrayList<>()));
            int operations = 1 + random.nextInt(8);
            for (int i = 0; i < operations; i++) {
                step();
            }
            for (int rank = 0; rank < size; rank++) {
                places.add(tree.nodes.get(random.nextInt(nodes)));
                members.add(new SimulatedMember(tree, places.get(rank), 1, size, rank, steps.get(rank)));
            }
        }

        private int target() {
            return random.nextInt(size + 1) - 1;
        }

        /** Lengths around those where pieces end. */
        private int length() {
            return switch (random.nextInt(4)) {
                case 0 -> random.nextInt(4);
                case 1 -> Piece.LONGEST / 8 * (1 + random.nextInt(3)) + random.nextInt(3) - 1;
                default -> random.nextInt(300);
            };
        }

        private void step() {
            Operation operation = Operation.values()[random.nextInt(Operation.values().length)];
            Element element = Element.values()[random.nextInt(3)];
            Reduction reduction = Reduction.values()[random.nextInt(element == Element.INT64 ? 6 : 4)];
            int length = length();
            Signature signature = switch (operation) {
                case BARRIER -> Signature.barrier();
                case REDUCE -> Signature.reduce(element, reduction, target());
                case BROADCAST -> Signature.broadcast(random.nextInt(size));
                case GATHER -> Signature.gather(target());
                case TOP -> Signature.top(1 + random.nextInt(50));
                case QUANTILES -> Signature.quantiles();
            };
            for (int rank = 0; rank < size; rank++) {
                steps.get(rank).add(new Step(signature, switch (operation) {
                    case BARRIER -> new byte[0];
                    case REDUCE -> vector(element, reduction, length);
                    case BROADCAST -> signature.argument() == rank ? octets(length() * 8) : new byte[0];
                    case GATHER -> octets(random.nextInt(length + 1) * 8);
                    case TOP -> entries(random.nextInt(signature.argument() + 1));
                    case QUANTILES -> vector(Element.FLOAT64, Reduction.SUM, random.nextInt(length + 1));
                }));
            }
        }

        private byte[] octets(int length) {
            byte[] octets = new byte[length];
            random.nextBytes(octets);
            return octets;
        }

        private byte[] vector(Element element, Reduction reduction, int length) {
            ByteBuffer out = ByteBuffer.allocate(length * element.octets());
            for (int i = 0; i < length; i++) {
                double value = reduction == Reduction.PRODUCT ? 0.5 + random.nextDouble() : random.nextGaussian() * Math.pow(10, random.nextInt(12));
                switch (element) {
                    case INT64 -> out.putLong(random.nextLong());
                    case FLOAT32 -> out.putFloat((float) value);
                    case FLOAT64 -> out.putDouble(value);
                }
            }
            return out.array();
        }

        private byte[] entries(int count) {
            ByteBuffer out = ByteBuffer.allocate(count * Signature.TOP_ENTRY);
            IntStream.range(0, count).mapToObj(i -> new double[] {random.nextInt(100), random.nextInt(1000)})
                    .sorted(Comparator.<double[]>comparingDouble(each -> -each[0]).thenComparingDouble(each -> each[1])).forEach(each -> out.putDouble(each[0]).putLong((long) each[1]));
            return out.array();
        }

        private final Map<Integer, byte[]> checked = new HashMap<>();

        void check(int step, int rank, Member.Result result) {
            Signature signature = steps.get(rank).get(step).signature();
            if (result.octets().length > 0 && checked.containsKey(step)) {
                assertThat(Arrays.equals(result.octets(), checked.get(step))).as("all get the same").isTrue();
                return;
            }
            if (result.octets().length > 0) {
                checked.put(step, result.octets());
            }
            List<byte[]> all = steps.stream().map(each -> each.get(step).own()).toList();
            boolean gets = signature.isFor(Ranks.of(rank));
            switch (signature.operation()) {
                case BARRIER -> assertThat(result.octets()).isEmpty();
                case BROADCAST -> assertThat(Arrays.equals(result.octets(), all.get(signature.argument()))).isTrue();
                case GATHER -> {
                    assertThat(result.all().keySet()).hasSize(gets ? size : 0);
                    result.all().forEach((from, octets) -> assertThat(Arrays.equals(octets, all.get(from))).isTrue());
                }
                case REDUCE -> {
                    assertThat(result.octets()).hasSize(gets ? all.get(0).length : 0);
                    if (gets) {
                        reduced(signature, all, ByteBuffer.wrap(result.octets()));
                    }
                }
                case TOP -> assertThat(result.octets()).isEqualTo(top(signature.argument(), all));
                case QUANTILES -> quantiles(all, ByteBuffer.wrap(result.octets()));
            }
        }

        private void reduced(Signature signature, List<byte[]> all, ByteBuffer result) {
            Element element = signature.element();
            for (int at = 0; at < result.capacity(); at += element.octets()) {
                int from = at;
                if (element == Element.INT64) {
                    long expected = all.stream().mapToLong(each -> ByteBuffer.wrap(each).getLong(from)).reduce((a, b) -> switch (signature.reduction()) {
                        case SUM -> a + b;
                        case MIN -> Math.min(a, b);
                        case MAX -> Math.max(a, b);
                        case PRODUCT -> a * b;
                        case AND -> a & b;
                        case OR -> a | b;
                    }).orElseThrow();
                    assertThat(result.getLong(at)).isEqualTo(expected);
                    continue;
                }
                double[] values = all.stream().mapToDouble(each -> element == Element.FLOAT32 ? ByteBuffer.wrap(each).getFloat(from) : ByteBuffer.wrap(each).getDouble(from)).toArray();
                double got = element == Element.FLOAT32 ? result.getFloat(at) : result.getDouble(at);
                double unit = element == Element.FLOAT32 ? Math.ulp(1f) / 2 : Math.ulp(1.0) / 2;
                switch (signature.reduction()) {
                    case MIN -> assertThat(got).isEqualTo(Arrays.stream(values).min().orElseThrow());
                    case MAX -> assertThat(got).isEqualTo(Arrays.stream(values).max().orElseThrow());
                    case SUM -> {
                        // The bound of the README: one rounding a level of nodes, of no more than the sum of what is summed.
                        double exact = Arrays.stream(values).mapToObj(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add).doubleValue();
                        double most = tree.nodes.size() * unit * Arrays.stream(values).map(Math::abs).sum() + Math.ulp(exact);
                        assertThat(got).isCloseTo(exact, within(most));
                    }
                    default -> {
                        double product = Arrays.stream(values).reduce(1, (a, b) -> a * b);
                        assertThat(got).isCloseTo(product, within(2 * (size + tree.nodes.size()) * unit * Math.abs(product)));
                    }
                }
            }
        }

        private static byte[] top(int most, List<byte[]> all) {
            List<ByteBuffer> entries = new ArrayList<>();
            all.forEach(each -> IntStream.range(0, each.length / 16).forEach(i -> entries.add(ByteBuffer.wrap(each, i * 16, 16).slice())));
            entries.sort(Comparator.<ByteBuffer>comparingDouble(each -> -each.getDouble(0)).thenComparingLong(each -> each.getLong(8)));
            ByteBuffer out = ByteBuffer.allocate(Math.min(most, entries.size()) * 16);
            entries.stream().limit(most).forEach(out::put);
            return out.array();
        }

        private static void quantiles(List<byte[]> all, ByteBuffer result) {
            double[] values = all.stream().flatMapToDouble(each -> IntStream.range(0, each.length / 8).mapToDouble(i -> ByteBuffer.wrap(each).getDouble(i * 8))).sorted().toArray();
            assertThat(result.getLong(0)).isEqualTo(values.length);
            double largest = Arrays.stream(values).map(Math::abs).max().orElse(0);
            for (int percent = 0; percent <= 100 && values.length > 0; percent++) {
                double exact = values[(int) Math.floor(percent / 100.0 * (values.length - 1))];
                // The bound of the README.
                assertThat(result.getDouble(16 + percent * 8)).isCloseTo(exact, within(Math.max(Math.abs(exact) * 0.010001, largest * 3e-9)));
            }
        }

        /** What was said about cuts holds: behind a cut that is safe everybody has saved. */
        void checkCuts() {
            for (SimulatedMember member : members) {
                long safe = member.member.safe();
                if (safe > 0) {
                    assertThat(members).allMatch(each -> each.saved.contains(safe), "saved " + safe);
                }
            }
        }

        String described() {
            return steps.get(0).stream().map(each -> each.signature().toString()).collect(Collectors.joining(", "));
        }
    }

    private static void runs(long seed) {
        World world = new World(seed);
        world.tree.run(HOUR);
        int operations = world.steps.get(0).size();
        for (SimulatedMember member : world.members) {
            assertThat(member.member.failed()).as("seed %d: %s", seed, world.described()).isNull();
            assertThat(member.results).as("seed %d, rank %d of %d: %s", seed, member.rank, world.size, world.described()).hasSize(operations);
            for (int step = 0; step < operations; step++) {
                world.check(step, member.rank, member.results.get(step));
            }
            assertThat(member.ended).as("seed %d: the way down ends", seed).isTrue();
        }
        world.checkCuts();
        assertThat(world.tree.nodes).as("seed %d: nothing is left", seed).allMatch(node -> node.group == null);
    }

    @Test
    void whatComesOutIsWhatOneProgramWouldHaveMade() {
        for (long seed = 0; seed < 300; seed++) {
            runs(seed);
        }
    }

    @Test
    @Tag("sweep")
    void itIsSoInAThousandWorlds() {
        for (long seed = 1000; seed < 2_000; seed++) {
            runs(seed);
        }
    }

    /** Somebody dies, is silent, or a node does, at any time: nobody waits for ever, and all who hear of it from the root hear the same. */
    private static void ends(long seed) {
        World world = new World(seed);
        Random random = new Random(~seed);
        Set<Integer> gone = new HashSet<>();
        long at = random.nextLong(Duration.ofMillis(120).toNanos());
        int deaths = 1 + random.nextInt(2);
        boolean[] node = new boolean[1];
        for (int i = 0; i < deaths; i++) {
            int victim = random.nextInt(world.size);
            boolean silent = random.nextBoolean();
            if (random.nextInt(3) == 0 && world.tree.nodes.size() > 1) {
                node[0] = true;
                Vertex dies = world.tree.nodes.get(1 + random.nextInt(world.tree.nodes.size() - 1));
                world.tree.later(at, silent ? dies::freeze : dies::kill);
            } else {
                gone.add(victim);
                world.tree.later(at, silent ? world.members.get(victim)::freeze : world.members.get(victim)::kill);
            }
        }
        world.tree.run(HOUR);
        long bound = at + 5 * PATIENCE + 2 * Group.INQUIRY_NANOS + Duration.ofSeconds(1).toNanos();
        Set<Frame.Failed> told = new HashSet<>();
        int operations = world.steps.get(0).size();
        for (SimulatedMember member : world.members) {
            for (int step = 0; step < member.results.size(); step++) {
                world.check(step, member.rank, member.results.get(step));
            }
            if (member.dead) {
                continue;
            }
            String who = "seed " + seed + ", rank " + member.rank + " of " + world.size + ", gone " + gone + ": " + world.described() + "; " + world.tree.errors;
            if (member.member.failed() != null) {
                told.add(member.member.failed());
            } else if (!node[0]) {
                assertThat(member.results).as(who).hasSize(operations);
            }
            // A member beside a node that is frozen hears nothing, which is for its own clock to find out.
            if (!node[0]) {
                assertThat(member.ended).as(who).isTrue();
                assertThat(member.endedAt).as(who).isLessThan(bound);
            } else if (!member.ended) {
                assertThat(member.results.size()).isLessThanOrEqualTo(operations);
            }
        }
        if (!node[0]) {
            assertThat(told.stream().map(Frame.Failed::ranks).collect(Collectors.toSet())).as("seed %d: all are told the same: %s", seed, told).hasSizeLessThan(2);
            told.forEach(failed -> assertThat(failed.ranks().stream().boxed().toList()).as("seed %d: %s", seed, failed).isNotEmpty().isSubsetOf(gone));
        }
        world.checkCuts();
    }

    @Test
    void whoeverVanishesIsNamedToAllOthersInTime() {
        for (long seed = 0; seed < 300; seed++) {
            ends(seed);
        }
    }

    @Test
    @Tag("sweep")
    void heIsInAThousandWorlds() {
        for (long seed = 1000; seed < 2_000; seed++) {
            ends(seed);
        }
    }

    @Test
    void aBarrierOfAThousandCostsTheRootAPacketANodeEachWay() {
        SimulatedTree tree = new SimulatedTree(1, LIMITS);
        Vertex root = tree.new Vertex(null);
        List<Vertex> nodes = IntStream.range(0, 12).mapToObj(i -> tree.new Vertex(root)).toList();
        List<Step> barrier = List.of(new Step(Signature.barrier(), new byte[0]), new Step(Signature.barrier(), new byte[0]));
        List<SimulatedMember> members = IntStream.range(0, 1000).mapToObj(rank -> new SimulatedMember(tree, nodes.get(rank % 12), 1, 1000, rank, barrier)).toList();
        tree.run(HOUR);
        assertThat(members).allMatch(member -> member.results.size() == 2 && member.ended);
        assertThat(root.fromBelow).as("a connection a node").hasSize(12);
        assertThat(root.fromBelow.values()).as("one contribution each to two barriers").allMatch(link -> link.pieces == 2);
        assertThat(root.down.values()).as("and one result each").allMatch(link -> link.pieces == 2);
    }

    @Test
    void aVectorCrossesEachLinkOnceEachWayAndIsNeverHeldWhole() {
        SimulatedTree tree = new SimulatedTree(2, LIMITS);
        Vertex root = tree.new Vertex(null);
        List<Vertex> nodes = IntStream.range(0, 4).mapToObj(i -> tree.new Vertex(root)).toList();
        int octets = 1 << 20;
        List<SimulatedMember> members = IntStream.range(0, 16)
                .mapToObj(rank -> new SimulatedMember(tree, nodes.get(rank % 4), 1, 16, rank, List.of(new Step(Signature.reduce(Element.FLOAT64, Reduction.SUM, Signature.ALL), new byte[octets])))).toList();
        long[] most = new long[1];
        for (long at = 0; at < Duration.ofSeconds(2).toNanos(); at += 1_000_000) {
            tree.run(at);
            tree.nodes.stream().filter(node -> node.group != null).forEach(node -> most[0] = Math.max(most[0], (long) node.group.shown().get("heldOctets")));
        }
        assertThat(members).allMatch(member -> member.results.size() == 1 && member.results.get(0).octets().length == octets);
        tree.nodes.forEach(node -> {
            node.down.values().forEach(link -> assertThat(link.octets).isBetween((long) octets, octets * 101L / 100));
            node.fromBelow.values().forEach(link -> assertThat(link.octets).isBetween((long) octets, octets * 101L / 100));
        });
        assertThat(most[0]).as("octets held by a node").isPositive().isLessThanOrEqualTo((Group.WINDOW + 1L) * Piece.LONGEST);
    }
}
