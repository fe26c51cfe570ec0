package org.tamanoir.node.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.service.Level;
import org.tamanoir.service.rule.Prefix;

class LegMatchTest {
    private static final SocketTuning RENO = new SocketTuning("reno", 0, 0, 0);
    private static final List<Prefix> PREFIXES = List.of(Prefix.parse("10.0.0.0/8"), Prefix.parse("10.1.0.0/16"), Prefix.parse("10.1.2.3"), Prefix.parse("0.0.0.0/0"), Prefix.parse("fd00::/8"));
    private static final List<String> ADDRESSES = List.of("10.1.2.3", "10.1.9.9", "10.9.9.9", "192.0.2.1", "fd00::1", "2001:db8::1");

    private static <T> T any(Random random, List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private static <T> T maybe(Random random, List<T> all) {
        return random.nextInt(3) == 0 ? any(random, all) : null;
    }

    private static LegMatch match(Random random) {
        Prefix prefix = maybe(random, PREFIXES);
        boolean onward = random.nextBoolean();
        return new LegMatch(onward ? prefix : null, onward ? null : prefix, maybe(random, List.of(1, 2)), maybe(random, List.of(0, 46)), maybe(random, List.of(7L, 8L)),
                maybe(random, List.of(Level.values())));
    }

    private static LegFacts leg(Random random) {
        try {
            return new LegFacts(random.nextBoolean(), InetAddress.getByName(any(random, ADDRESSES)), any(random, List.of(Set.<Integer>of(), Set.of(1), Set.of(1, 2), Set.of(2))),
                    any(random, List.of(0, 46, 10)), any(random, List.of(0L, 7L, 8L)), any(random, List.of(Level.values())));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Written the other way round: what there is against it. */
    private static boolean reference(LegMatch match, LegFacts leg) {
        List<String> against = new ArrayList<>();
        Prefix prefix = match.to() != null ? match.to() : match.from();
        if (prefix != null && leg.onward() != (match.to() != null)) {
            against.add("the other direction");
        }
        if (prefix != null && !prefix.contains(leg.remote())) {
            against.add("prefix");
        }
        if (match.service() != null && leg.services().stream().noneMatch(match.service()::equals)) {
            against.add("service");
        }
        if (match.codePoint() != null && match.codePoint() != leg.codePoint()) {
            against.add("class");
        }
        if (match.session() != null && match.session() != leg.session()) {
            against.add("session");
        }
        if (match.level() != null && match.level() != leg.level()) {
            against.add("level");
        }
        return against.isEmpty();
    }

    @Property(tries = 2_000)
    void theFirstRuleThatHasNothingAgainstALegIsItsRule(@ForAll Random random) {
        List<TuneRule> rules = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            rules.add(new TuneRule("rule" + i, match(random), RENO, false));
        }
        Tuning tuning = new Tuning(any -> null, 1);
        tuning.configure(rules);
        for (int i = 0; i < 20; i++) {
            LegFacts leg = leg(random);
            RuleState found = tuning.find(leg);
            TuneRule expected = rules.stream().filter(rule -> reference(rule.match(), leg)).findFirst().orElse(null);
            assertThat(found == null ? null : found.rule()).isEqualTo(expected);
        }
    }

    @Property(tries = 2_000)
    void aRuleBehindOneThatCoversItNeverHasALeg(@ForAll Random random) {
        LegMatch first = match(random);
        LegMatch second = match(random);
        TuneRule shadow = TuneRule.shadow(List.of(new TuneRule("first", first, RENO, true)), second);
        if (shadow != null) {
            for (int i = 0; i < 50; i++) {
                LegFacts leg = leg(random);
                assertThat(second.matches(leg) && !first.matches(leg)).as("%s is %s's and not %s's", leg, second, first).isFalse();
            }
        }
    }

    @Test
    void whatIsWiderInOnePointAndNotInAnotherShadowsNothing() {
        TuneRule wide = new TuneRule("wide", new LegMatch(Prefix.parse("10.0.0.0/8"), null, 1, null, null, null), RENO, true);
        assertThat(TuneRule.shadow(List.of(wide), new LegMatch(Prefix.parse("10.1.0.0/16"), null, 1, 46, null, null))).isEqualTo(wide);
        assertThat(TuneRule.shadow(List.of(wide), new LegMatch(Prefix.parse("10.1.0.0/16"), null, null, 46, null, null))).isNull();
        assertThat(TuneRule.shadow(List.of(wide), new LegMatch(null, Prefix.parse("10.1.0.0/16"), 1, null, null, null))).isNull();
        assertThat(TuneRule.shadow(List.of(wide), new LegMatch(null, null, 1, null, null, null))).isNull();
    }

    @Test
    void aLegHasOneDirection() {
        assertThatThrownBy(() -> new LegMatch(PREFIXES.get(0), PREFIXES.get(1), null, null, null, null)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("to and from");
    }

    @Test
    void itIsShownAsItIsWritten() {
        assertThat(new LegMatch(null, null, null, null, null, null)).hasToString("every leg");
        assertThat(new LegMatch(PREFIXES.get(0), null, 0x5402, 46, 0xC7L, Level.HEAVY)).hasToString("to 10.0.0.0/8, service 0x5402, class 46, session 00000000000000c7, level heavy");
    }
}
