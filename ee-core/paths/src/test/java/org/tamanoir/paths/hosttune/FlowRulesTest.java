package org.tamanoir.paths.hosttune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.hosttune.Treatment.Wad;
import org.tamanoir.service.rule.Prefix;

class FlowRulesTest {
    private static final Treatment CUBIC = new Treatment("cubic", null, null, 0);
    private static final Treatment RENO = new Treatment("reno", null, null, 0);
    private static final List<Prefix> ANYWHERE = List.of(Prefix.parse("0.0.0.0/0"), Prefix.parse("::/0"));

    @Test
    void theFirstRuleThatMatchesCounts() {
        FlowRules rules = new FlowRules(ANYWHERE, List.of(rule("ports", CUBIC, match("10.2.0.0/16", "50000-51000")), rule("host", RENO, match("10.2.7.1", null)),
                rule("rest", TuningPreset.WAD_2003.treatment(), match("10.2.0.0/16", null)), rule("six", CUBIC, match("2001:db8::/32", null))));
        assertThat(name(rules, "10.2.7.1", 50_500)).isEqualTo("ports");
        assertThat(name(rules, "10.2.7.1", 49_999)).isEqualTo("host");
        assertThat(name(rules, "10.2.7.2", 51_001)).isEqualTo("rest");
        assertThat(name(rules, "10.3.0.1", 50_500)).isEqualTo("none");
        assertThat(name(rules, "2001:db8:1::1", 1)).isEqualTo("six");
        assertThat(name(rules, "2001:db9::1", 1)).isEqualTo("none");
    }

    @Test
    void bothEndsHaveToMatch() {
        FlowRules rules = new FlowRules(ANYWHERE, List.of(rule("both", CUBIC, new FlowMatch(false, List.of(Prefix.parse("10.2.0.0/16")), List.of(Prefix.parse("10.1.0.7")), List.of(),
                List.of(new PortSpan(2811, 2811))))));
        assertThat(rules.of(end("10.1.0.7", 2811), end("10.2.0.1", 9))).isPresent();
        assertThat(rules.of(end("10.1.0.8", 2811), end("10.2.0.1", 9))).isEmpty();
        assertThat(rules.of(end("10.1.0.7", 2812), end("10.2.0.1", 9))).isEmpty();
    }

    @Test
    void whatIsForEverythingHasToSaySo() {
        refused(ErrorCode.BAD_CONFIGURATION, "everything: true", () -> new FlowMatch(false, List.of(), List.of(), List.of(new PortSpan(80, 80)), List.of()));
        refused(ErrorCode.BAD_CONFIGURATION, "everything: true", () -> match("0.0.0.0/0", null));
        refused(ErrorCode.BAD_CONFIGURATION, "names addresses", () -> new FlowMatch(true, List.of(Prefix.parse("10.0.0.0/8")), List.of(), List.of(), List.of()));
        refused(ErrorCode.BAD_CONFIGURATION, "IPv4 in it", () -> match("::/16", null));
        refused(ErrorCode.BAD_CONFIGURATION, "of IPv4, those of IPv6", () -> new FlowMatch(false, List.of(Prefix.parse("10.0.0.0/8")), List.of(Prefix.parse("fd00::/8")), List.of(), List.of()));
        FlowRule everything = rule("all", CUBIC, new FlowMatch(true, List.of(), List.of(), List.of(), List.of()));
        assertThat(name(new FlowRules(ANYWHERE, List.of(everything)), "192.0.2.1", 1)).isEqualTo("all");
        refused(ErrorCode.TUNING_NOT_ALLOWED, "0:0/0", () -> new FlowRules(List.of(Prefix.parse("0.0.0.0/0")), List.of(everything)));
    }

    @Test
    void onlyWhatIsAllowedIsTuned() {
        List<FlowRule> rules = List.of(rule("lyon", CUBIC, match("10.2.0.0/16", null)));
        refused(ErrorCode.TUNING_NOT_ALLOWED, "'allow' has nothing", () -> new FlowRules(List.of(), rules));
        refused(ErrorCode.TUNING_NOT_ALLOWED, "10.2.0.0/17", () -> new FlowRules(List.of(Prefix.parse("10.2.0.0/17")), rules));
        assertThat(new FlowRules(List.of(Prefix.parse("10.0.0.0/8")), rules).rules()).hasSize(1);
        List<FlowRule> localOnly = List.of(rule("mine", CUBIC, new FlowMatch(false, List.of(), List.of(Prefix.parse("10.1.0.7")), List.of(), List.of())));
        refused(ErrorCode.TUNING_NOT_ALLOWED, "0.0.0.0/0", () -> new FlowRules(List.of(Prefix.parse("10.0.0.0/8")), localOnly));
    }

    @Test
    void rulesThatCanNeverApplyContradict() {
        FlowRule wide = rule("wide", CUBIC, match("10.0.0.0/8", null));
        refused(ErrorCode.BAD_CONFIGURATION, "wide stands before it and takes all its flows, for which the two want different things",
                () -> new FlowRules(ANYWHERE, List.of(wide, rule("narrow", RENO, match("10.2.0.0/16", "80")))));
        refused(ErrorCode.BAD_CONFIGURATION, "rules[1]", () -> new FlowRules(ANYWHERE, List.of(wide, rule("again", CUBIC, match("10.0.0.0/8", null)))));
        refused(ErrorCode.BAD_CONFIGURATION, "another rule has the name", () -> new FlowRules(ANYWHERE, List.of(wide, rule("wide", CUBIC, match("11.0.0.0/8", null)))));
        refused(ErrorCode.BAD_CONFIGURATION, "there is none", () -> new FlowRules(ANYWHERE, List.of()));
        List<FlowRule> many = new ArrayList<>();
        for (int i = 0; i <= FlowRules.MOST_ENTRIES; i++) {
            many.add(rule("rule-" + i, CUBIC, match("10." + i / 256 + "." + i % 256 + ".1", null)));
        }
        refused(ErrorCode.BAD_CONFIGURATION, "257", () -> new FlowRules(ANYWHERE, many));
    }

    @Test
    void numbersHaveTheirRange() {
        for (double md : new double[] {0, 0.9875, 1, -0.1, Double.NaN}) {
            refused(ErrorCode.BAD_CONFIGURATION, "md", () -> new Wad(4, md, 200));
        }
        refused(ErrorCode.BAD_CONFIGURATION, "ai", () -> new Wad(0, 0.5, 200));
        refused(ErrorCode.BAD_CONFIGURATION, "max-ssthresh", () -> new Wad(4, 0.5, 1));
        refused(ErrorCode.BAD_CONFIGURATION, "bbr goes by what it measures", () -> new Treatment("bbr", new Wad(4, 0.5, 0), null, 0));
        refused(ErrorCode.BAD_CONFIGURATION, "does nothing", () -> new Treatment(null, null, null, 0));
        refused(ErrorCode.BAD_CONFIGURATION, "wad needs", () -> new Treatment("wad", null, null, 0));
        refused(ErrorCode.BAD_CONFIGURATION, "no name", () -> new Treatment("Cubic!", null, null, 0));
        refused(ErrorCode.BAD_CONFIGURATION, "pacing", () -> new Treatment("bbr", null, null, 7_999));
        refused(ErrorCode.BAD_CONFIGURATION, "pacing", () -> new Treatment("bbr", null, null, 8L << 32));
        assertThat(PortSpan.parse("50000-51000")).isEqualTo(new PortSpan(50_000, 51_000));
        for (String text : List.of("", "0", "65536", "5-4", "x", "1-")) {
            refused(ErrorCode.BAD_CONFIGURATION, "no port", () -> PortSpan.parse(text));
        }
    }

    /** The model: 100 Mbit/s, 100 ms and segments of 1448 octets are a window of 863. */
    @Test
    void theNumbersOf2003RecoverInATenthOfASecondAndTakeFourteenShares() {
        Wad wad = TuningPreset.WAD_2003.treatment().wad();
        assertThat(wad.recoverySeconds(863, 0.1)).isCloseTo(0.27, within(0.005));
        assertThat(new Wad(1, 0.5, 0).recoverySeconds(863, 0.1)).isCloseTo(43.2, within(0.1));
        assertThat(wad.sharesOfReno()).isCloseTo(14.6, within(0.1));
    }

    /** Wrong: a rule that is refused for standing behind another, and would have had flows. */
    @Property
    void aRuleThatIsCoveredMatchesNothingOfItsOwn(@ForAll long seed) {
        Random random = new Random(seed);
        FlowRule first = random(random, "first");
        FlowRule second = random(random, "second");
        boolean accepted = true;
        try {
            new FlowRules(ANYWHERE, List.of(first, second));
        } catch (AnepException e) {
            accepted = false;
        }
        boolean own = false;
        for (int address = 0; address < 16; address++) {
            for (int port = 1; port <= 4; port++) {
                InetSocketAddress far = end("10.0.0." + address, port);
                own |= second.match().matches(end("10.9.9.9", 1), far) && !first.match().matches(end("10.9.9.9", 1), far);
            }
        }
        // A union of prefixes may cover where no single one does: then both are taken, which does no harm.
        assertThat(own && !accepted).as("%s, %s", first.match(), second.match()).isFalse();
    }

    private static FlowRule random(Random random, String name) {
        List<Prefix> prefixes = new ArrayList<>();
        for (int i = random.nextInt(2); i >= 0; i--) {
            prefixes.add(Prefix.parse("10.0.0." + random.nextInt(16) + "/" + (28 + random.nextInt(5))));
        }
        int first = 1 + random.nextInt(4);
        return new FlowRule(name, new FlowMatch(false, prefixes, List.of(), random.nextBoolean() ? List.of() : List.of(new PortSpan(first, first + random.nextInt(5 - first))), List.of()), CUBIC);
    }

    private static void refused(ErrorCode code, String says, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(code)).hasMessageContaining(says);
    }

    private static FlowRule rule(String name, Treatment treatment, FlowMatch match) {
        return new FlowRule(name, match, treatment);
    }

    private static FlowMatch match(String remote, String ports) {
        return new FlowMatch(false, List.of(Prefix.parse(remote)), List.of(), ports == null ? List.of() : List.of(PortSpan.parse(ports)), List.of());
    }

    private static String name(FlowRules rules, String remote, int port) {
        return rules.of(end(remote.contains(":") ? "fd00::1" : "10.1.0.1", 40_000), end(remote, port)).map(FlowRule::name).orElse("none");
    }

    private static InetSocketAddress end(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address, e);
        }
    }
}
