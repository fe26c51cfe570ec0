package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.dyram.wire.Losses.Range;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/** What a session asks of nodes: its text, its octets under the tag, and what sets of services are. */
class ServiceChoiceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "all | 255 | 255", "none | 0 | 0", "detect | 1 | 1", "detect@source | 1 | 0", "detect@others, aggregate | 2 | 3",
        "detect@source,aggregate,subcast,elect-hosts@others,repair-timer | 39 | 46", "elect | 24 | 24", "elect@source,elect-hosts | 24 | 8",
        "all@source,subcast | 255 | 4", "elect-sites@others | 0 | 16",
    })
    void isReadAndWrittenAgain(String text, int atSource, int elsewhere) {
        ServiceChoice choice = ServiceChoice.parse(text);

        assertThat(choice).isEqualTo(new ServiceChoice(new ServiceSet(atSource), new ServiceSet(elsewhere)));
        assertThat(ServiceChoice.parse(choice.toString())).isEqualTo(choice);
        assertThat(choice.of(true).bits()).isEqualTo(atSource);
        assertThat(choice.of(false).bits()).isEqualTo(elsewhere);
    }

    @Test
    void isWrittenShortly() {
        assertThat(ServiceChoice.ALL).hasToString("all");
        assertThat(ServiceChoice.parse("none")).hasToString("none");
        assertThat(ServiceChoice.parse("subcast,detect@source")).hasToString("subcast,detect@source");
        assertThat(ServiceChoice.parse("all@source")).hasToString("all@source");
        assertThat(ServiceChoice.parse("all@others,detect@source")).hasToString("detect@source,all@others");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "detect,", "caching", "detect@node", "none,detect", "DETECT", "@source", "detect@source@others", "service-6"})
    void nothingElseIsRead(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ServiceChoice.parse(text)).withMessageContaining("is no service of dyram");
    }

    @Test
    void aServiceThatIsNotKnownHereHasANumber() {
        ServiceSet later = new ServiceSet(0x41);
        assertThat(later.names()).containsExactly("detect", "service-6");
        assertThat(new ServiceSet(0x80).names()).containsExactly("service-7");
        assertThat(later.less(ServiceSet.of(Service.DETECT))).isEqualTo(new ServiceSet(0x40));
        assertThat(later.and(ServiceSet.ALL)).isEqualTo(later);
        assertThat(later.or(ServiceSet.of(Service.SUBCAST)).bits()).isEqualTo(0x45);
        assertThat(List.of(Service.values())).allMatch(ServiceSet.ALL::has).noneMatch(ServiceSet.NONE::has);
        assertThatIllegalArgumentException().isThrownBy(() -> new ServiceSet(256));
        assertThatIllegalArgumentException().isThrownBy(() -> new ServiceSet(-1));
    }

    @Test
    void theTagVouchesForTheChoice() {
        SessionKey key = SessionKey.of(new byte[] {1}, 7, 5);
        Message.Announce announce = key.sign(announce("detect@source,subcast", new byte[16]));

        assertThat(key.verify(announce)).isTrue();
        for (String other : new String[] {"all", "none", "detect,subcast", "detect@others,subcast", "subcast"}) {
            assertThat(key.verify(announce(other, announce.tag()))).as(other).isFalse();
        }
        assertThat(key.verify(announce("detect@source,subcast", announce.tag()).hop(3, true))).as("what nodes change").isTrue();
    }

    private static Message.Announce announce(String services, byte[] tag) {
        return new Message.Announce(7, 1, 16, false, new SessionTerms(new InetSocketAddress("239.1.2.3", 5405), 0, 10, 1000, 1, false, 5,
                ServiceChoice.parse(services)), tag);
    }

    @Test
    void rangesOfOtherSessionsAreCountedAndLeftOut() {
        SessionTerms terms = announce("all", new byte[16]).terms();
        List<String> packets = new java.util.ArrayList<>();

        int others = terms.each(new Losses(List.of(new Range(9, 2, 0), new Range(8, 2, 3), new Range(-1, 1, 0), new Range(0, 1, 1))),
                (index, rank) -> packets.add(index + " " + rank));

        assertThat(others).isEqualTo(2);
        assertThat(packets).containsExactly("8 3", "9 3", "0 1");
    }
}
