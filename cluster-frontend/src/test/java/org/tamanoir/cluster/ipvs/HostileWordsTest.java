package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;

/** Nothing that a name holds becomes more than a name in what keepalived reads. */
class HostileWordsTest {
    private static final VirtualService SERVICE = Plans.parse(KeepalivedConfTest.NAT).services().get(0);
    private static final String PLAIN = text("b1");

    private static String text(String name) {
        RealServer server = new RealServer(name, Plans.address("10.77.1.11"), 3322, 1, 8080);
        Plan plan = new Plan(List.of(new VirtualService("p", SERVICE.address(), 3322, SERVICE.transport(), SERVICE.method(), SERVICE.scheduler(),
                Duration.ZERO, List.of(server))));
        IpvsSettings settings = KeepalivedConfTest.settings(false);
        return KeepalivedConf.text(Director.services(plan, settings), settings, Set.of());
    }

    /** Letters that the parser takes for more than themselves, and others. */
    @Property(tries = 2000)
    void aNameIsRefusedOrStandsWhereItBelongs(@ForAll @StringLength(max = 80) @CharRange(from = 'a', to = 'f')
            @Chars({'\n', '\r', '\t', ' ', '#', '!', '"', '\'', '$', '{', '}', '@', '~', '\\', '-', '.', '_', '\0', 'ä', '\u2028', '0'}) String name) {
        String text;
        try {
            text = text(name);
        } catch (AnepException e) {
            assertThat(e.getMessage()).startsWith("EE-905").doesNotContainPattern("\\p{Cntrl}");
            return;
        }
        assertThat(text).isEqualTo(PLAIN.replace("# b1\n", "# " + name + "\n"));
        assertThat(name).matches("[a-f0-9._-]{1,63}");
    }

    @Test
    void interfacesDirectoriesAndAddressesAreRefusedToo() throws Exception {
        for (String hostile : List.of("eth0\n}", "eth0 {", "a\"b", "sixteen-letters-x", "$IF", "")) {
            assertThatThrownBy(() -> new VirtualAddress(Plans.address("10.0.0.1"), 32, hostile)).hasMessageStartingWith("EE-905");
        }
        for (String hostile : List.of("/run/a b", "/run/a\nb", "/run/$x", "/run/a!b", "/run/a#b")) {
            assertThatThrownBy(() -> IpvsSettings.alone(Path.of(hostile))).hasMessageStartingWith("EE-905");
        }
        InetAddress scoped = Inet6Address.getByAddress("x\n}", new byte[] {(byte) 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1);
        for (InetAddress none : List.of(scoped, Plans.address("0.0.0.0"), Plans.address("224.0.0.1"), Plans.address("fe80::1"))) {
            assertThatThrownBy(() -> VirtualAddress.of(none)).hasMessageStartingWith("EE-905");
        }
        InetAddress named = InetAddress.getByAddress("x\n}", new byte[] {10, 0, 0, 1});
        assertThat(SafeWords.address(named, "it")).isEqualTo("10.0.0.1");
    }
}
