package org.tamanoir.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Method;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.node.cluster.virtual.VirtualAddress;

/** What a front-end answers is believed only where it makes sense. */
class WelcomesTest {
    private static final String GOOD = "{'frontend':'edge-1','periodMillis':1000,'leaseMillis':3000,'method':'DIRECT',"
            + "'services':[{'address':'198.51.100.1','port':3322},{'address':'2001:db8::1','port':3322}],'standing':'IN','why':null,'newer':{'x':1}}";

    private static Welcome read(String text) throws Exception {
        return Welcomes.read(new ObjectMapper().readTree(text.replace('\'', '"')));
    }

    @Test
    void aGoodOneIsReadAndWhatIsNotKnownIsLeftAlone() throws Exception {
        Welcome welcome = read(GOOD);
        assertThat(welcome.standing()).isEqualTo(Standing.IN);
        assertThat(welcome.periodMillis()).isEqualTo(1000);
        assertThat(Welcomes.wanted(welcome)).isEqualTo(Set.of(
                new VirtualAddress(InetAddress.getByName("198.51.100.1"), 3322, Method.DIRECT),
                new VirtualAddress(InetAddress.getByName("2001:db8::1"), 3322, Method.DIRECT)));
        assertThat(Welcomes.wanted(read(GOOD.replace("DIRECT", "NAT")))).as("where addresses are translated").isEmpty();
    }

    /** Wrong: a node that a front-end's nonsense makes report a million times a second, resolve names, or take over addresses of everybody. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "'periodMillis':1000 | 'periodMillis':0 | periodMillis", "'periodMillis':1000 | 'periodMillis':-1 | periodMillis",
        "'periodMillis':1000 | 'periodMillis':1e3 | periodMillis", "'periodMillis':1000 | 'periodMillis':99999999999999999999 | periodMillis",
        "'periodMillis':1000, | '' | periodMillis", "'leaseMillis':3000 | 'leaseMillis':1000 | leaseMillis", "'DIRECT' | 'CARRIER' | method",
        "'DIRECT' | null | method", "'IN' | 'OUT' | standing", "'port':3322 | 'port':0 | port", "'port':3322 | 'port':65536 | port",
        "198.51.100.1 | localhost | services", "198.51.100.1 | 0.0.0.0 | services", "198.51.100.1 | 127.0.0.1 | services",
        "198.51.100.1 | 224.0.0.1 | services", "198.51.100.1 | 169.254.1.1 | services", "2001:db8::1 | :: | services", "2001:db8::1 | fe80::1 | services",
        "'frontend':'edge-1' | 'frontend':7 | frontend", "[{'address' | {'a':[{'address' | services"})
    void nonsenseIsRefusedByTheNameOfItsField(String part, String instead, String field) {
        String text = GOOD.replace(part, instead.equals("''") ? "" : instead).replace("}],'standing'", instead.startsWith("{'a'") ? "}]},'standing'" : "}],'standing'");
        assertThatThrownBy(() -> read(text)).as(text).isInstanceOfSatisfying(AnepException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.NO_FRONTEND);
            assertThat(error.text()).contains(field);
        });
    }
}
