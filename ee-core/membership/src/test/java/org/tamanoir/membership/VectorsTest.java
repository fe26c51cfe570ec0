package org.tamanoir.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Vectors.Malformed;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.Welcome.Virtual;

/** Both messages against octets that were written by hand, and every field of both with something that it cannot have. */
class VectorsTest {
    private static final Service DYRAM = new Service("dyram", 0x5405, "1.0.0", "middle", Affinity.SOURCE);
    private static final Service MONITORING = new Service("monitoring", 0x5402, "1.2.0", "middle", Affinity.NONE);
    static final Report REPORT = new Report("b1.site-a", "00c0ffee00c0ffee", 7, "10.0.0.11", 3322, 3381, "heavy", State.SERVING,
            List.of(DYRAM, MONITORING), new Load(12, 1.5, 4096, 67_108_864, 0.25),
            new Outcome("0123456789abcdef", Outcome.State.FAILED, "1.0.0", 3, "EE-407 no source has dyram 1.1.0"));
    static final Welcome WELCOME = new Welcome("fe-1", 1000, 3000, Method.DIRECT, List.of(new Virtual("192.0.2.1", 3322),
            new Virtual("2001:db8::1", 3322)), Standing.UNCHECKED, "has not answered GET /health at 10.0.0.11:3381 yet",
            new Order("0123456789abcdef", "dyram", 0x5405, "1.1.0", 30_000));

    static List<Malformed> reports() {
        return Vectors.malformed("malformed-reports.txt", "report.json");
    }

    static List<Malformed> welcomes() {
        return Vectors.malformed("malformed-welcomes.txt", "welcome.json");
    }

    @Test
    void aReportHasTheseOctets() {
        assertThat(MessageWriter.write(REPORT)).asString().isEqualTo(new String(Vectors.octets("report.json"), StandardCharsets.UTF_8));
        assertThat(ReportReader.read(Vectors.octets("report.json"), false)).isEqualTo(REPORT);
    }

    @Test
    void aWelcomeHasTheseOctets() {
        assertThat(MessageWriter.write(WELCOME)).asString().isEqualTo(new String(Vectors.octets("welcome.json"), StandardCharsets.UTF_8));
        assertThat(WelcomeReader.read(Vectors.octets("welcome.json"))).isEqualTo(WELCOME);
        Welcome in = new Welcome("fe-1", 1000, 3000, Method.NAT, List.of(), Standing.IN, null);
        assertThat(WelcomeReader.read(MessageWriter.write(in))).isEqualTo(in);
        Welcome newest = in.with(new Order("0123456789abcdef", "dyram", 0x5405, null, 0));
        assertThat(WelcomeReader.read(MessageWriter.write(newest))).isEqualTo(newest);
    }

    /** Wrong: a message that the reader of the other side refuses whole, because of the words of somebody's exception. */
    @Test
    void whateverAnErrorSaysIsALineThatCanBeReported() {
        for (String text : List.of("", "\n", "EE-305 it throws:\n\tat Service.start\r\n", "\u001b[31mred\u202e", "x".repeat(5000), "\ud83d\ude00".repeat(1025),
                "half \ud83d")) {
            Outcome outcome = new Outcome("0123456789abcdef", Outcome.State.FAILED, null, 0, Outcome.line(text));
            Report report = new Report("b1", "00c0ffee00c0ffee", 1, "10.0.0.11", 3322, 3381, "heavy", State.SERVING, List.of(), REPORT.load(), outcome);
            assertThat(ReportReader.read(MessageWriter.write(report), false)).isEqualTo(report);
        }
        assertThat(Outcome.line("EE-305 it throws:\n\tat start")).isEqualTo("EE-305 it throws: at start");
    }

    /** What a newer one says besides is ignored; an address and an order are written in one way, and a CPU is never busier than busy. */
    @Test
    void aReportOfANewerNodeIsUnderstood() {
        assertThat(ReportReader.read(Vectors.octets("report-of-a-newer-node.json"), false)).isEqualTo(new Report("b1.site-a",
                "00c0ffee00c0ffee", 7, "fd00::b", 3322, 3381, Report.DEFAULT_POOL, State.LEAVING, List.of(DYRAM, MONITORING),
                new Load(12, 0, 4096, 67_108_864, 1)));
    }

    @ParameterizedTest
    @MethodSource("reports")
    void aFieldThatMakesNoSenseIsNamed(Malformed vector) {
        assertThatThrownBy(() -> ReportReader.read(vector.octets(), false)).isInstanceOf(AnepException.class)
                .hasMessageStartingWith("EE-901 " + vector.error());
    }

    @ParameterizedTest
    @MethodSource("welcomes")
    void aFieldOfAWelcomeThatMakesNoSenseIsNamed(Malformed vector) {
        assertThatThrownBy(() -> WelcomeReader.read(vector.octets())).isInstanceOf(AnepException.class)
                .hasMessageStartingWith("EE-909 " + vector.error());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "null", "[]", "{", "{}{}", "{\"name\":\"b1\",\"name\":\"b2\"}", "\u0000", "\u0085",
        "{\u2028", "{\u202e"})
    void whatIsNoObjectIsRefused(String text) {
        assertThatThrownBy(() -> ReportReader.read(text.getBytes(StandardCharsets.UTF_8), false)).isInstanceOf(AnepException.class)
                .hasMessageStartingWith("EE-901 the message ").extracting(Throwable::getMessage).asString().hasSizeLessThan(300)
                .doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]");
    }

    @Test
    void loopbackIsForWhoeverSaysSo() {
        byte[] octets = new String(Vectors.octets("report.json"), StandardCharsets.UTF_8).replace("10.0.0.11", "127.0.0.11")
                .getBytes(StandardCharsets.UTF_8);

        assertThat(ReportReader.read(octets, true).address()).isEqualTo("127.0.0.11");
    }

    @Test
    void sizesAreBounded() {
        assertThat(ReportReader.read(MessageWriter.write(with(512)), false).services()).hasSize(512);
        assertThatThrownBy(() -> ReportReader.read(MessageWriter.write(with(513)), false)).hasMessageStartingWith("EE-901 services has 513 entries");
        byte[] large = ("{\"padding\":\"" + "x".repeat(ReportReader.MOST_OCTETS) + "\"}").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ReportReader.read(large, false)).hasMessageStartingWith("EE-901 the message has 65550 octets");
        byte[] deep = ("{\"a\":" + "[".repeat(30_000) + "]".repeat(30_000) + "}").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ReportReader.read(deep, false)).hasMessageStartingWith("EE-901 the message is no JSON");
    }

    private static Report with(int services) {
        return new Report("b1", "00c0ffee00c0ffee", 1, "10.0.0.11", 3322, 3381, "heavy", State.SERVING,
                Stream.generate(() -> DYRAM).limit(services).toList(), REPORT.load());
    }

    /** Without this a field that is added would have no vector, and perhaps no check. */
    @Test
    void everyFieldHasAVectorOfSomethingThatItCannotBe() {
        List<String> fields = new ArrayList<>();
        fields(Report.class, "", fields);
        fields(Service.class, "services/n/", fields);
        fields(Load.class, "load/", fields);
        fields(Outcome.class, "outcome/", fields);
        assertThat(reports()).extracting(vector -> vector.place().substring(1).replaceAll("[0-9]+", "n")).containsAll(fields);
        fields.clear();
        fields(Welcome.class, "", fields);
        fields(Virtual.class, "services/n/", fields);
        fields(Order.class, "order/", fields);
        assertThat(welcomes()).extracting(vector -> vector.place().substring(1).replaceAll("[0-9]+", "n")).containsAll(fields);
    }

    private static void fields(Class<? extends Record> message, String path, List<String> fields) {
        for (RecordComponent component : message.getRecordComponents()) {
            fields.add(path + component.getName());
        }
    }
}
