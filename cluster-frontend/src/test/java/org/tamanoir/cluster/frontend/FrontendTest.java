package org.tamanoir.cluster.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.membership.MessageWriter;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.WelcomeReader;

/** A front-end over HTTP, as back ends and operators have it, with an engine of the test. */
@Timeout(60)
@Tag("long")
class FrontendTest {
    private static final String POOL = "pools: {default: {addresses: [192.0.2.100]}}\n";
    private static final String[] INSTANCES = {"", "00000000000000b1", "00000000000000b2", "00000000000000b3"};

    @TempDir
    private Path directory;
    private ScriptedEngine engine;
    private Frontend frontend;
    private long sequence;

    @BeforeEach
    void starts() throws IOException {
        configure(POOL);
        start();
    }

    @AfterEach
    void ends() {
        frontend.close();
    }

    private void start() {
        engine = new ScriptedEngine();
        frontend = Frontend.start(FrontendConfiguration.read(file()), file(), "sesame", configuration -> engine);
    }

    private Path file() {
        return directory.resolve("frontend.yaml");
    }

    private void configure(String more) throws IOException {
        Path fresh = Files.writeString(directory.resolve("fresh"), "name: f1\nlisten: 127.0.0.1:0\ndata: " + directory.resolve("data") + "\n" + more);
        Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE);
    }

    private HttpFetch api(String token) {
        return HttpFetch.of(frontend.url(), ErrorCode.NO_FRONTEND).token(token);
    }

    private Report report(int number, int port, double cpu, Service... services) {
        return new Report("b" + number, INSTANCES[number], ++sequence, "10.0.0." + number, port, 3326, "default", State.SERVING, List.of(services),
                new Load(1, 0, 0, 1000, cpu));
    }

    private Welcome tell(Report report) {
        return WelcomeReader.read(api("sesame").put("/members/" + report.name(), MessageWriter.write(report), ReportReader.MOST_OCTETS));
    }

    private JsonNode status() {
        return api(null).json("/status");
    }

    private JsonNode backEnd(int number) {
        for (JsonNode each : status().path("pools").path(0).path("backEnds")) {
            if (each.path("name").asText().equals("b" + number)) {
                return each;
            }
        }
        throw new AssertionError(status());
    }

    @Test
    void whoRegistersIsPlannedAndIsInWhenItAnswersTheCheck() {
        Welcome first = tell(report(1, 3322, 0));
        assertThat(first).isEqualTo(new Welcome("f1", 1000, 3000, Method.NAT, List.of(new Welcome.Virtual("192.0.2.100", 3322)), Standing.UNCHECKED,
                "has not yet answered GET /health at 10.0.0.1:3326"));
        await().until(() -> engine.carried().equals(List.of("b1=100")));
        assertThat(backEnd(1).path("answers").asBoolean()).isFalse();
        engine.answering = Set.of("b1");
        await().until(() -> tell(report(1, 3322, 0)).standing() == Standing.IN);
        assertThat(status().path("director").toString()).isEqualTo("{\"engine\":\"scripted\",\"why\":\"the test says so\",\"role\":\"alone\",\"carries\":true,"
                + "\"problem\":null}");
        frontend.close();
        assertThat(engine.closed).isTrue();
    }

    /** Wrong: to let one of them touch what is there; to answer without the code that says what to do. */
    @Test
    void whatIsWrongIsRefusedWithItsCodeAndCostsNobodyElseAnything() {
        tell(report(1, 3322, 0));
        byte[] good = MessageWriter.write(report(1, 3322, 0));
        for (String token : new String[] {null, "seasame", ""}) {
            assertThatThrownBy(() -> api(token).put("/members/b1", good, ReportReader.MOST_OCTETS)).as("token %s", token).hasMessageStartingWith("EE-406");
            assertThatThrownBy(() -> api(token).delete("/members/b1?instance=" + INSTANCES[1])).as("token %s", token).hasMessageStartingWith("EE-406");
        }
        HttpFetch api = api("sesame");
        String text = new String(good, StandardCharsets.UTF_8);
        for (List<String> each : List.of(List.of("b2", text, "name is b1"), List.of("b1", "[]", ""), List.of("b1", "{", ""),
                List.of("b1", text.replace("\"cpu\":0.0", "\"cpu\":-7"), "cpu"), List.of("b1", text.replace("10.0.0.1", "the-neighbour"), "address"),
                List.of("b1", text.replace("10.0.0.1", "192.0.2.100"), "virtual"))) {
            assertThatThrownBy(() -> api.put("/members/" + each.get(0), each.get(1).getBytes(StandardCharsets.UTF_8), ReportReader.MOST_OCTETS))
                    .hasMessageStartingWith("EE-901").hasMessageContaining(each.get(2));
        }
        Report copied = new Report("b2", INSTANCES[2], 1, "10.0.0.1", 3322, 3326, "default", State.SERVING, List.of(), new Load(1, 0, 0, 1000, 0));
        assertThatThrownBy(() -> tell(copied)).hasMessageStartingWith("EE-902 address and port are 10.0.0.1 port 3322, which back end b1 has");
        Report lost = new Report("b3", INSTANCES[3], 1, "10.0.0.3", 3322, 3326, "heavy", State.SERVING, List.of(), new Load(1, 0, 0, 1000, 0));
        assertThatThrownBy(() -> tell(lost)).hasMessageStartingWith("EE-903");
        assertThat(api.delete("/members/b1?instance=" + INSTANCES[2]).path("left").asBoolean()).as("the goodbye of another").isFalse();
        JsonNode status = status();
        assertThat(status.path("refused").toString()).contains("EE-902", "EE-903");
        assertThat(status.path("pools").path(0).path("backEnds")).hasSize(1);
        await().until(() -> engine.carried().equals(List.of("b1=100")));
    }

    /** Wrong: to forget how busy back ends were; to put a bad file in force, or half of it. */
    @Test
    void aChangedFileIsInForceAndWeightsStayAndABadOneIsRefused() throws Exception {
        for (int i = 0; i < 10; i++) {
            tell(report(1, 3322, 0.5));
        }
        tell(report(2, 3322, 0));
        await().until(() -> engine.carried().equals(List.of("b1=19", "b2=100")));
        configure("pools: {default: {addresses: [192.0.2.100], scheduler: wrr}}\n");
        await().until(() -> engine.plans.get(engine.plans.size() - 1).services().get(0).scheduler().name().equals("WRR"));
        assertThat(engine.carried()).containsExactly("b1=19", "b2=100");
        int plans = engine.plans.size();
        configure("pools: {default: {addresses: [192.0.2.100], scheduler: fastest}}\n");
        await().until(() -> status().path("configurationRefused").asText().startsWith("EE-501 pools.default.scheduler is 'fastest'"));
        assertThat(engine.plans).hasSize(plans);
        configure(POOL);
        await().until(() -> !status().has("configurationRefused"));
    }

    /** Wrong: to tell back ends, who set themselves up for it, of a method that the director does not know; to carry nothing new until that is mended. */
    @Test
    void aFileThatAsksForWhatTheDirectorCannotDoIsRefused() throws Exception {
        configure("pools: {default: {addresses: [192.0.2.100], method: direct}}\n");
        await().until(() -> status().path("configurationRefused").asText().equals("EE-907 only NAT"));
        assertThat(tell(report(1, 3322, 0)).method()).isEqualTo(Method.NAT);
        await().until(() -> engine.carried().equals(List.of("b1=100")));
        frontend.close();
        assertThatThrownBy(this::start).hasMessage("EE-907 only NAT");
        assertThat(engine.closed).as("nothing is left").isTrue();
    }

    @Test
    void aBackEndThatCannotBeCarriedBesideTheOthersIsToldAndTheyAre() {
        tell(report(1, 3322, 0));
        tell(report(2, 4422, 0));
        await().until(() -> engine.carried().equals(List.of("b1=100", "b2=100")));
        engine.answering = Set.of("b1", "b2");
        tell(report(1, 3322, 0, new Service("dyram", 0x5405, "1.0.0", "middle", Affinity.SOURCE)));
        await().until(() -> engine.carried().equals(List.of("b1=100")));
        assertThat(engine.plans.get(engine.plans.size() - 1).services()).extracting(VirtualService::persistence).allMatch(time -> time.toSeconds() == 300);
        engine.answering = Set.of("b1");
        Welcome told = tell(report(2, 4422, 0));
        assertThat(told.standing()).isEqualTo(Standing.UNCHECKED);
        assertThat(told.why()).isEqualTo("EE-908 port is 4422; pool default keeps the streams of a source together (affinity source), so it must be 3322");
        assertThat(backEnd(2).path("why").asText()).isEqualTo(told.why());
        assertThat(status().path("events").toString()).contains(told.why()).doesNotContain("does not answer");
        tell(report(1, 3322, 0));
        await().until(() -> engine.carried().equals(List.of("b1=100", "b2=100")));
    }

    /** Wrong: to begin with nothing after a restart; to lose what is carried to a plan that cannot be; to fill the log with the same at every weight. */
    @Test
    void aPlanThatIsRefusedIsSaidOnceAndTheLastGoodOneIsThereAfterARestart() {
        tell(report(1, 3322, 0));
        await().until(() -> engine.carried().equals(List.of("b1=100")));
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ControlLoop.class);
        logger.addAppender(said);
        try {
            engine.refusal = new AnepException(ErrorCode.DIRECTOR_REFUSED, "not today");
            tell(report(2, 3322, 0));
            await().until(() -> status().path("director").path("problem").asText().equals("EE-907 not today"));
            tell(report(3, 3322, 0));
            await().until(() -> engine.refused.size() >= 2);
            await().until(() -> status().path("director").path("problem").asText().equals("EE-907 not today"));
        } finally {
            logger.detachAppender(said);
        }
        assertThat(said.list).extracting(ILoggingEvent::getFormattedMessage).hasSize(1).first().asString().endsWith("EE-907 not today");
        assertThat(status().path("director").path("carries").asBoolean()).isFalse();
        frontend.close();
        start();
        await().until(() -> engine.carried().equals(List.of("b1=100")));
        assertThat(backEnd(1).path("standing").asText()).isEqualTo("UNCHECKED");
        assertThat(engine.plans).as("it never carried nothing").noneMatch(plan -> plan.services().get(0).servers().isEmpty());
        await("a lease").until(() -> engine.carried().isEmpty());
    }

    @Test
    void directorsThatTakeTurnsHaveTheGatewayOfBackEndsAsWell() throws Exception {
        String vrrp = "vrrp: {device: eth0, source: 10.0.1.2, peers: [10.0.1.3], gateways: ['10.0.2.9/24 dev eth1']}\n";
        configure(vrrp + POOL);
        assertThat(FrontendConfiguration.read(file()).vrrp().addresses().toString()).contains("192.0.2.100, prefix=32, networkInterface=null",
                "10.0.2.9, prefix=24, networkInterface=eth1");
        for (String bad : List.of("10.0.2.9", "10.0.2.9/24", "10.0.2.9/24 dev", "gateway/24 dev eth1", "10.0.2.9/24 dev eth1 label x")) {
            configure(vrrp.replace("10.0.2.9/24 dev eth1", bad) + POOL);
            assertThatThrownBy(() -> FrontendConfiguration.read(file())).as(bad).hasMessageStartingWith("EE-501 vrrp.gateways has '");
        }
        frontend.close();
        configure(vrrp + POOL);
        start();
        configure(vrrp + "pools: {default: {addresses: [192.0.2.100, 192.0.2.101]}}\n");
        await().until(() -> status().path("configurationRefused").asText().startsWith("EE-501 pools: directors that take turns"));
    }
}
