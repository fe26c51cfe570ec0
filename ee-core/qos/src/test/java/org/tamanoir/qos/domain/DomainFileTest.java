package org.tamanoir.qos.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.domain.Domain.Queue;

class DomainFileTest {
    @TempDir
    private Path folder;

    @Test
    void aRateAloneGivesTheFiveClassesWithTheirCodePoints() {
        Domain domain = DomainFile.parse("rate: 200mbit", Set.of());
        assertThat(domain.rate()).isEqualTo(200_000_000);
        assertThat(domain.classes()).extracting(Domain.Share::of).containsExactly(StandardClass.values());
        assertThat(domain.classes()).extracting(Domain.Share::rate).containsExactly(2_000_000L, 78_000_000L, 60_000_000L, 40_000_000L, 20_000_000L);
        assertThat(domain.classes()).extracting(Domain.Share::ceiling).as("EF is bounded, the others take what is left").containsExactly(
                200_000_000L, 200_000_000L, 200_000_000L, 200_000_000L, 20_000_000L);
        assertThat(domain.classes()).extracting(Domain.Share::codePoints).containsExactly(List.of(1, 8), List.of(0), List.of(10, 12, 14),
                List.of(26, 28, 30), List.of(46));
        assertThat(domain.classes().get(1).queue()).as("100 ms of the link").isEqualTo(new Queue(Queue.Kind.BFIFO, 2_500_000));
    }

    @Test
    void everyFieldIsTaken() {
        Domain domain = DomainFile.parse("""
                rate: 2.5gbit
                leaf: fifo
                classes:
                  be: {rate: 99%, queue: 2000 packets}
                  lbe: {rate: 12345678bit, ceil: 1gbit, queue: 10ms, code-points: [8, 3]}
                """, Set.of(Queue.Kind.FQ_CODEL));
        assertThat(domain.classes()).containsExactly(
                new Domain.Share(StandardClass.LBE, 12_345_000, 1_000_000_000, new Queue(Queue.Kind.BFIFO, 1_250_000), List.of(3, 8)),
                new Domain.Share(StandardClass.BE, 2_475_000_000L, 2_500_000_000L, new Queue(Queue.Kind.PFIFO, 2000), List.of(0)));
    }

    @Test
    void whereTheKernelHasFairQueuesAllButTheStrictClassGetOne() {
        Domain domain = DomainFile.parse("rate: 200mbit", Set.of(Queue.Kind.FQ_CODEL));
        assertThat(domain.classes()).extracting(share -> share.queue().kind()).containsExactly(Queue.Kind.FQ_CODEL, Queue.Kind.FQ_CODEL,
                Queue.Kind.FQ_CODEL, Queue.Kind.FQ_CODEL, Queue.Kind.BFIFO);
        assertThat(domain.classes().get(1).queue().limit()).as("frames of 1514 octets in 100 ms").isEqualTo(2_500_000 / 1514);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                        | rate is needed
            rate: 200 apples                                          | rate is '200 apples'
            rate: 1kbit                                               | rate is '1kbit'
            rate: 30%                                                 | rate is '30%'
            {rate: 1gbit, colour: red}                                | colour is not known
            {rate: 1gbit, leaf: red}                                  | leaf takes auto or fifo
            {rate: 1gbit, classes: {ef: {}}}                          | classes has no class be
            {rate: 1gbit, classes: {be: {}, gold: {}}}                | classes.gold is not known
            {rate: 1gbit, classes: [be]}                              | classes is no set
            {rate: 1gbit, classes: {be: {rate: -1mbit}}}              | classes.be.rate is '-1mbit'
            {rate: 1gbit, classes: {be: {rate: 60%}, ef: {rate: 500mbit}}} | classes promises 1100Mbit of a link of 1Gbit
            {rate: 1gbit, classes: {be: {ceil: 2gbit}}}               | classes.be.ceil must be
            {rate: 1gbit, classes: {be: {ceil: 1mbit}}}               | classes.be.ceil must be
            {rate: 1gbit, classes: {be: {queue: 0ms}}}                | classes.be.queue takes
            {rate: 1gbit, classes: {be: {queue: 99999ms}}}            | classes.be.queue takes
            {rate: 1gbit, classes: {be: {queue: long}}}               | classes.be.queue is no length
            {rate: 1gbit, classes: {be: {code-points: [64]}}}         | classes.be.code-points holds 64
            {rate: 1gbit, classes: {be: {code-points: none}}}         | classes.be.code-points is no list
            {rate: 1gbit, classes: {be: {code-points: [0, 8]}, lbe: {}}} | code point 8 in lbe and in be
            {rate: 1gbit, classes: {be: {}, ef: {red: {}}}}           | classes.ef.red is for no class
            {rate: 1gbit, classes: {be: {red: yes}}}                  | classes.be.red is no set
            {rate: 1gbit, classes: {be: {red: {colour: 1}}}}          | classes.be.red.colour is not known
            {rate: 1gbit, classes: {be: {red: {bands: [30%]}}}}       | classes.be.red.bands holds '30%'
            {rate: 1gbit, classes: {be: {red: {bands: [90-30%]}}}}    | classes.be.red.bands holds '90-30%'
            {rate: 1gbit, classes: {be: {red: {bands: [30-101%]}}}}   | classes.be.red.bands holds '30-101%'
            {rate: 1gbit, classes: {be: {red: {bands: [9-10%, 8-9%, 7-8%]}}}} | classes.be.red.bands takes one band
            {rate: 1gbit, classes: {be: {}, af-tcp: {red: {bands: [1-9%, 2-9%, 3-9%]}}}} | keeps longer what is to be dropped earlier
            {rate: 1gbit, classes: {be: {queue: 10 packets, red: {bands: [1-90%]}}}} | classes.be.red.bands begins at 151 octets
            {rate: 1gbit, classes: {be: {red: {percent: 0}}}}         | classes.be.red.percent takes
            {rate: 1gbit, classes: {be: {red: {ecn: maybe}}}}         | classes.be.red.ecn takes true or false
            {rate: 100kbit}                                           | classes.lbe.rate is less than
            [1                                                        | no YAML
            """)
    void whatMakesNoSenseIsRefusedByTheNameOfTheField(String yaml, String said) {
        assertThatThrownBy(() -> DomainFile.parse(yaml, Set.of())).isInstanceOfSatisfying(AnepException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(e.text()).contains(said);
        });
    }

    @Test
    void aClassWithDropPrecedencesHasThreeBandsAndAnyOtherOne() {
        Domain domain = DomainFile.parse("{rate: 100mbit, classes: {be: {queue: 100ms, red: {percent: 2, ecn: false}}, af-tcp: {queue: 200 packets, red: {}}}}", Set.of(Queue.Kind.values()));
        assertThat(domain.classes().get(0).queue()).isEqualTo(new Queue(Queue.Kind.RED, 1_250_000, new Domain.Early(List.of(new Domain.Band(375_000, 1_125_000)), 2, false)));
        assertThat(domain.classes().get(1).queue()).isEqualTo(new Queue(Queue.Kind.GRED, 302_800, new Domain.Early(List.of(new Domain.Band(151_400, 272_520),
                new Domain.Band(90_840, 181_680), new Domain.Band(30_280, 90_840)), 10, true)));
    }

    @Test
    void aKindOfQueueThatTheKernelLacksIsRefusedWithWhatToDo() {
        assertThatThrownBy(() -> DomainFile.parse("{rate: 1gbit, classes: {be: {}, af-tcp: {red: {}}}}", Set.of(Queue.Kind.RED))).isInstanceOfSatisfying(AnepException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.DOMAIN_FAILED);
            assertThat(e.text()).contains("classes.af-tcp.red needs the kernel's sch_gred").contains("CONFIG_NET_SCH_GRED");
        });
    }

    @Test
    void aFileIsNamedInWhatIsSaidOfItAndALongOneIsNotRead() throws Exception {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rate: x");
        assertThatThrownBy(() -> DomainFile.read(bad, Set.of())).hasMessageContaining("bad.yaml: rate is 'x'");
        assertThatThrownBy(() -> DomainFile.read(folder.resolve("none.yaml"), Set.of())).hasMessageContaining("there is no such file");
        Path big = Files.writeString(folder.resolve("big.yaml"), "# " + "x".repeat(70_000) + "\nrate: 1gbit");
        assertThatThrownBy(() -> DomainFile.read(big, Set.of())).hasMessageContaining("longer than");
    }
}
