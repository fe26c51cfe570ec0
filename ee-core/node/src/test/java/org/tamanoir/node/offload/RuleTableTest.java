package org.tamanoir.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.RuleCounters;
import org.tamanoir.service.rule.Treatment;

class RuleTableTest {
    private static final String[] PREFIXES = {"10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "fd00::/8", "fd00:1::/32", "2000::/3"};
    private static final String[] ADDRESSES = {"10.1.2.3", "10.2.0.1", "192.0.2.1", "fd00:1::1", "fd00:2::1", "2001:db8::1"};

    private record Named(String owner, LightRule rule, int order) {
    }

    /** Whatever is put, replaced and removed: what is found is what a list of rules, asked one after the other, would give. */
    @Property(tries = 200)
    void findsWhatAListWouldFind(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        RuleTable table = new RuleTable(1000);
        Mirrored mirrored = new Mirrored();
        table.mirror(mirrored);
        List<Named> list = new ArrayList<>();
        int order = 0;
        for (int step = 0; step < 40; step++) {
            String name = "r" + random.nextInt(12);
            Named before = list.stream().filter(each -> each.rule().name().equals(name)).findFirst().orElse(null);
            list.remove(before);
            if (random.nextInt(4) == 0) {
                assertThat(table.remove("service", name)).isEqualTo(before != null);
            } else {
                LightRule rule = new LightRule(name, match(random), List.of(Action.count(), Action.dscp(step)));
                table.put("service", rule);
                list.add(new Named("service", rule, before == null ? order++ : before.order()));
            }
            for (int i = 0; i < 10; i++) {
                assertFound(table, list, random);
            }
            assertThat(mirrored.rules.values()).allSatisfy(rule -> assertThat(list).anyMatch(each -> each.rule().equals(rule.rule())));
        }
        list.forEach(each -> table.remove("service", each.rule().name()));
        assertThat(mirrored.rules).isEmpty();
        assertThat(table.all()).isEmpty();
    }

    /** What a kernel would have: never two rules with one match. */
    private static final class Mirrored implements RuleTable.Mirror {
        private final Map<Integer, LiveRule> rules = new HashMap<>();

        @Override
        public void put(LiveRule rule) {
            rules.put(rule.slot(), rule);
            assertThat(rules.values().stream().map(each -> each.rule().match())).doesNotHaveDuplicates();
        }

        @Override
        public void remove(LiveRule rule) {
            assertThat(rules.remove(rule.slot())).isSameAs(rule);
        }
    }

    private static Match match(Random random) {
        return new Match(random.nextBoolean() ? random.nextInt(3) : null, random.nextInt(3) == 0 ? Prefix.parse(any(PREFIXES, random)) : null,
                random.nextInt(3) == 0 ? Prefix.parse(any(PREFIXES, random)) : null, random.nextInt(4) == 0 ? 1L + random.nextInt(2) : null, false);
    }

    private static String any(String[] texts, Random random) {
        return texts[random.nextInt(texts.length)];
    }

    private static void assertFound(RuleTable table, List<Named> list, Random random) throws UnknownHostException {
        PacketOptions options = new PacketOptions();
        InetAddress destination = random.nextInt(5) == 0 ? null : InetAddress.getByName(any(ADDRESSES, random));
        if (destination != null) {
            options.destination(Identifier.of(destination));
        }
        long session = random.nextInt(3);
        if (session != 0) {
            options.qosSession(session);
        }
        InetAddress source = InetAddress.getByName(any(ADDRESSES, random));
        int type = random.nextInt(3);
        ByteBuf buffer = new PacketBuilder(type).options(options).build(UnpooledByteBufAllocator.DEFAULT);
        LiveRule found = table.find(new PacketFacts().read(Packet.of(buffer), source));
        buffer.release();
        Named want = list.stream().filter(each -> matches(each.rule().match(), type, destination, source, session))
                .min((one, other) -> Integer.compare(one.order(), other.order())).orElse(null);
        assertThat(found == null ? null : found.rule()).isEqualTo(want == null ? null : want.rule());
    }

    private static boolean matches(Match match, int type, InetAddress destination, InetAddress source, long session) {
        return (match.typeId() == null || match.typeId() == type) && (match.session() == null || match.session() == session)
                && contains(match.destination(), destination) && contains(match.source(), source);
    }

    private static boolean contains(Prefix prefix, InetAddress address) {
        return prefix == null || address != null && prefix.contains(address);
    }

    @Example
    void actionsAreDoneInTheirOrder() {
        LightRule countsAll = new LightRule("all", Match.all(), List.of(Action.count(), police(), Action.dscp(46), Action.forward()));
        LightRule countsWhatPasses = new LightRule("passed", Match.all(), List.of(Action.dscp(46), police(), Action.count(), Action.forward()));
        LiveRule all = new LiveRule("s", countsAll, 0, 0, null);
        LiveRule passed = new LiveRule("s", countsWhatPasses, 0, 0, null);
        for (int i = 0; i < 4; i++) {
            RuleOutcome first = all.run(Transport.UDP, 1000, Colour.GREEN, 0);
            RuleOutcome second = passed.run(Transport.UDP, 1000, Colour.GREEN, 0);
            assertThat(first).isEqualTo(i < 3 ? RuleOutcome.of(RuleOutcome.Kind.FORWARD, 46) : RuleOutcome.of(RuleOutcome.Kind.DROP, -1));
            assertThat(second).isEqualTo(switch (i) {
                case 0, 1 -> RuleOutcome.of(RuleOutcome.Kind.FORWARD, 46);
                case 2 -> RuleOutcome.of(RuleOutcome.Kind.FORWARD, 12);
                default -> RuleOutcome.of(RuleOutcome.Kind.DROP, -1);
            });
        }
        assertThat(all.counters()).isEqualTo(new RuleCounters(4, 4000, 2, 1, 1, 1, 3));
        assertThat(passed.counters()).isEqualTo(new RuleCounters(3, 3000, 2, 1, 1, 1, 3));
    }

    private static Action police() {
        return Action.police(Meter.singleRate(1, 2000, 1000), Treatment.PASS, Treatment.mark(12), Treatment.DROP);
    }

    @Example
    void aRuleThatComesInThePlaceOfAnotherKeepsItsCountersAndItsMeterIfThatIsTheSame() {
        RuleTable table = new RuleTable(2);
        table.put("s", new LightRule("r", Match.all(), List.of(Action.count(), police(), Action.forward())));
        PacketFacts any = new PacketFacts();
        assertThat(table.find(any).run(Transport.UDP, 2000, Colour.GREEN, 0).dscp()).isEqualTo(-1);
        table.put("s", new LightRule("r", Match.all(), List.of(Action.count(), police(), Action.dscp(1), Action.forward())));
        assertThat(table.find(any).run(Transport.UDP, 2000, Colour.GREEN, 0).kind()).as("the bucket is as it was").isEqualTo(RuleOutcome.Kind.DROP);
        assertThat(table.counters("s", "r").packets()).isEqualTo(2);
        table.put("s", new LightRule("r", Match.all(), List.of(Action.count(),
                Action.police(Meter.singleRate(2, 2000, 1000), Treatment.PASS, Treatment.PASS, Treatment.DROP), Action.forward())));
        assertThat(table.find(any).run(Transport.UDP, 2000, Colour.GREEN, 0).kind()).as("another meter is full").isEqualTo(RuleOutcome.Kind.FORWARD);
    }

    @Example
    void whatDoesNotFitIsRefusedAndChangesNothing() {
        RuleTable full = new RuleTable(1);
        full.put("s", new LightRule("a", Match.all(), List.of(Action.drop())));
        assertThatThrownBy(() -> full.put("s", new LightRule("b", Match.type(1), List.of(Action.drop()))))
                .isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RULES_FULL));
        RuleTable shapes = new RuleTable(100);
        for (int bits = 0; bits < RuleTable.SHAPES; bits++) {
            shapes.put("s", new LightRule("r" + bits, Match.all().from(Prefix.parse("10.0.0.0/" + bits)), List.of(Action.drop())));
        }
        assertThatThrownBy(() -> shapes.put("s", new LightRule("more", Match.all(), List.of(Action.drop()))))
                .isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RULES_FULL));
        assertThat(shapes.all()).hasSize(RuleTable.SHAPES);
        shapes.remove("s", "r3");
        shapes.put("s", new LightRule("more", Match.all(), List.of(Action.drop())));
    }

    @Example
    void theOperatorsRulesAreReplacedAllOrNone() {
        RuleTable table = new RuleTable(20);
        List<LightRule> sixteen = prefixes(0);
        table.replaceOperators(sixteen);
        table.find(facts("10.0.0.1")).run(Transport.UDP, 10, Colour.GREEN, 0);
        assertThatThrownBy(() -> table.replaceOperators(prefixes(0, new LightRule("more", Match.type(1), List.of(Action.drop())))))
                .isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RULES_FULL));
        assertThat(table.all().stream().map(LiveRule::rule)).containsExactlyElementsOf(sixteen);
        // All sixteen shapes at once, and every rule moves to another of them.
        table.replaceOperators(prefixes(1));
        assertThat(table.all().stream().map(LiveRule::rule)).containsExactlyElementsOf(prefixes(1));
        assertThat(table.counters(RuleTable.OPERATOR, "r0").packets()).as("counters go on with the name").isEqualTo(1);
    }

    private static List<LightRule> prefixes(int shift, LightRule... more) {
        List<LightRule> rules = new ArrayList<>();
        for (int i = 0; i < RuleTable.SHAPES; i++) {
            rules.add(new LightRule("r" + i, Match.all().from(Prefix.parse("10.0.0.0/" + (i + shift))), List.of(Action.count())));
        }
        rules.addAll(List.of(more));
        return rules;
    }

    private static PacketFacts facts(String source) {
        ByteBuf buffer = new PacketBuilder(1).build(UnpooledByteBufAllocator.DEFAULT);
        PacketFacts facts = new PacketFacts().read(Packet.of(buffer), new java.net.InetSocketAddress(source, 1).getAddress());
        buffer.release();
        return facts;
    }

    @Example
    void aVersionWhoseRulesDoNotFitIsUsedWithThoseThatDo() {
        RuleTable table = new RuleTable(2);
        ServiceRules first = new ServiceRules(table, "s", 7);
        first.put(new LightRule("a", Match.type(7), List.of(Action.count())));
        first.enforce(null);
        ServiceRules second = new ServiceRules(table, "s", 7);
        for (String name : List.of("b", "c", "d")) {
            second.put(new LightRule(name, Match.type(7).withSession(name.charAt(0)), List.of(Action.drop())));
        }
        second.enforce(first);
        assertThat(table.all().stream().map(rule -> rule.rule().name())).as("one found room, and those of before are gone").containsExactly("b");
        assertThat(second.remove("c")).isTrue();
        second.retire(java.util.Set.of());
        assertThat(table.all()).isEmpty();
    }

    @Example
    void theOperatorsRulesComeFirst() {
        RuleTable table = new RuleTable(10);
        table.put("s", new LightRule("r", Match.type(7), List.of(Action.forward())));
        table.replaceOperators(List.of(new LightRule("no", Match.all(), List.of(Action.drop()))));
        PacketFacts facts = new PacketFacts();
        facts.typeId = 7;
        assertThat(table.find(facts).owner()).isEqualTo(RuleTable.OPERATOR);
        table.replaceOperators(List.of());
        assertThat(table.find(facts).owner()).isEqualTo("s");
    }

    /** A call of the kernel costs more than all else that the node does with a datagram. */
    @Example
    void theKernelIsAskedForItsMeterAndNothingElseAndTheCountersOfBothAreAddedUp() {
        List<Integer> asked = new ArrayList<>();
        LiveRule.InKernel kernel = new LiveRule.InKernel() {
            @Override
            public RuleOutcome run(int slot, int octets, Colour arrived) {
                asked.add(octets);
                return RuleOutcome.of(RuleOutcome.Kind.DROP, -1);
            }

            @Override
            public RuleCounters counters(int slot) {
                return new RuleCounters(100, 5_000, 0, 0, 0, 0, 100);
            }
        };
        LiveRule counts = new LiveRule("s", new LightRule("r", Match.all(), List.of(Action.count(), Action.forward())), 0, 3, null);
        counts.inKernel(kernel);
        assertThat(counts.run(Transport.UDP, 40, Colour.GREEN, 0).kind()).isEqualTo(RuleOutcome.Kind.FORWARD);
        assertThat(asked).isEmpty();
        assertThat(counts.counters()).isEqualTo(new RuleCounters(101, 5_040, 0, 0, 0, 0, 101));
        LiveRule meters = new LiveRule("s", new LightRule("r", Match.all(), List.of(police(), Action.forward())), 0, 4, null);
        meters.inKernel(kernel);
        assertThat(meters.run(Transport.UDP, 41, Colour.GREEN, 0).kind()).as("as the kernel says").isEqualTo(RuleOutcome.Kind.DROP);
        assertThat(meters.run(Transport.TCP, 42, Colour.GREEN, 0).kind()).as("streams have a meter in the node").isEqualTo(RuleOutcome.Kind.FORWARD);
        assertThat(asked).containsExactly(41);
    }
}
