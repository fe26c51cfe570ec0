package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.BornLooping;
import org.tamanoir.tests.services.Mischief;

/** A cluster changes the version of a service, one back end after the other; and what a back end does of it by itself. */
@Timeout(180)
@Tag("long")
class ARollingUpgradeTest {
    private static String current(Node node) {
        return new NodeView(node).versions(Told.TYPE).stream().filter(each -> each.path("current").asBoolean()).map(each -> each.path("version").asText())
                .findFirst().orElse("none");
    }

    private static void tells(Node node, TcpServer echo, String version) throws IOException {
        try (Told told = new Told(node, echo)) {
            assertThat(told.version()).isEqualTo(version);
        }
    }

    private static Command.Result upgrade(String... more) {
        List<String> command = new ArrayList<>(List.of("service", "upgrade", "teller"));
        command.addAll(List.of(more));
        return CommandLineTool.here(command.toArray(String[]::new));
    }

    /** Wrong: two at a time; a stream that is cut because its back end was away; a back end without the service that is forgotten, or cannot be asked. */
    @Test
    void oneBackEndAfterTheOtherLeavesChangesAndComesBack() throws Exception {
        try (Grid grid = Grid.withRepository(); LoopbackCluster cluster = new LoopbackCluster(grid); TcpServer echo = TcpServer.echo()) {
            grid.push(Told.bundle(grid, "1.0.0"));
            cluster.backEnds(3, configuration -> { });
            assertThatThrownBy(() -> cluster.api().json("/upgrades")).hasMessageStartingWith("EE-407");
            assertThatThrownBy(() -> cluster.api().post("/upgrades", Map.of("service", "teller"))).hasMessageStartingWith("EE-407 no back end runs teller");
            try (Told old = new Told(cluster.node(1), echo)) {
                assertThat(old.version()).isEqualTo("1.0.0");
                tells(cluster.node(2), echo, "1.0.0");
                grid.push(Told.bundle(grid, "1.1.0"));
                Map<String, Object> dry = Map.of("service", "teller", "dryRun", true);
                await().until(() -> cluster.isReported(1, "teller") && cluster.isReported(2, "teller"));
                assertThat(cluster.api().post("/upgrades", dry).path("backEnds")).extracting(row -> row.path("from").asText() + " " + row.path("state").asText())
                        .containsExactly("1.0.0 PENDING", "1.0.0 PENDING", "null PENDING");
                assertThat(current(cluster.node(1))).as("a dry run changes nothing").isEqualTo("1.0.0");

                CompletableFuture<Command.Result> running = CompletableFuture.supplyAsync(() -> upgrade("--cluster", cluster.url(), "--drain", "4s"),
                        task -> new Thread(task, "test-upgrade").start());
                await().until(() -> cluster.standing(1).equals("DRAINING"));
                assertThatThrownBy(() -> cluster.api().post("/upgrades", Map.of("service", "teller"))).hasMessageStartingWith("EE-410")
                        .hasMessageContaining("b1 is DRAINING");
                assertThat(Grid.admin(cluster.node(1)).json("/cluster").path("state").asText()).isEqualTo("leaving");
                Command.Result result = running.join();
                assertThat(result.exit()).as(result.output() + result.errors()).isEqualTo(ExitCode.DONE);
                assertThat(result.output()).containsSubsequence("b1 takes no new streams", "b1 changes, with 1 open, which stay on 1.0.0",
                        "b1 has 1.1.0 and takes streams", "b2 takes no new streams", "b2 has 1.1.0 and takes streams", "b3 takes no new streams",
                        "b3 has 1.1.0 and takes streams", "all 3 back ends have teller 1.1.0");
                assertThat(old.version()).as("it goes on where it was").isEqualTo("1.0.0");
            }
            for (int i = 1; i <= 3; i++) {
                assertThat(current(cluster.node(i))).isEqualTo("1.1.0");
                tells(cluster.node(i), echo, "1.1.0");
            }
            assertThat(cluster.status().path("upgrade").path("text").asText()).isEqualTo("teller 1.1.0: DONE, 3 of 3 back ends have it");
            cluster.api().post("/upgrades", Map.of("service", "teller", "version", "1.1.0"));
            await().until(() -> cluster.api().json("/upgrades").path("state").asText().equals("DONE"));
            assertThat(cluster.api().json("/upgrades").path("backEnds")).hasSize(3).allSatisfy(row -> assertThat(row.path("state").asText()).isEqualTo("ALREADY"));
            String metrics = new String(cluster.api().bytes("/metrics", 1 << 20));
            PrometheusServer.check(metrics);
            assertThat(metrics).contains("tamanoir_frontend_upgrades_total{end=\"done\"} 2.0",
                    "tamanoir_frontend_upgrading 0.0");
        }
    }

    /** Wrong: to go on with the others; to leave the one that failed away; an exit code that says that all is well. */
    @Test
    void atTheFirstThatFailsItStopsAndSaysWho() throws Exception {
        try (Grid grid = Grid.withRepository(); LoopbackCluster cluster = new LoopbackCluster(grid); TcpServer echo = TcpServer.echo()) {
            grid.push(Told.bundle(grid, "1.0.0"));
            cluster.backEnds(2, configuration -> configuration.set("limits.start-timeout", "1s"));
            tells(cluster.node(1), echo, "1.0.0");
            tells(cluster.node(2), echo, "1.0.0");
            grid.push(new ServiceBundle("teller", Told.TYPE, "middle", BornLooping.class).classes(Mischief.class).version("1.1.0").in(grid.directory()));
            await().until(() -> cluster.isReported(1, "teller") && cluster.isReported(2, "teller"));
            assertThatThrownBy(() -> cluster.api().post("/upgrades", Map.of("service", "teller", "drain", "10m"))).hasMessageStartingWith("EE-408")
                    .hasMessageContaining("148.5 s");
            assertThatThrownBy(() -> cluster.api().post("/upgrades", Map.of("service", "teller", "drain", "soon"))).hasMessageContaining("drain is 'soon'");
            assertThatThrownBy(() -> cluster.api().post("/upgrades", Map.of("service", "teller", "version", "../1"))).hasMessageStartingWith("EE-408");
            Command.Result result = upgrade("--cluster", cluster.url(), "--drain", "5s");
            assertThat(result.exit()).as(result.output()).isEqualTo(ExitCode.FAILED);
            assertThat(result.output()).containsSubsequence("b1 takes no new streams", "b1 has failed: EE-305", "b2 keeps 1.0.0");
            assertThat(result.errors()).contains("EE-910 0 of 2 back ends have teller", "b1: EE-305");
            await().until(() -> cluster.standing(1).equals("IN"));
            tells(cluster.node(1), echo, "1.0.0");
            assertThat(current(cluster.node(2))).isEqualTo("1.0.0");
            assertThat(new NodeView(cluster.node(2)).versions(Told.TYPE)).as("it was never asked").hasSize(1);
            cluster.api().post("/upgrades", Map.of("service", "teller", "version", "7.0.0"));
            await().until(() -> cluster.api().json("/upgrades").path("state").asText().equals("FAILED"));
            assertThat(cluster.api().json("/upgrades").path("why").asText()).startsWith("b1: EE-407 no source has teller 7.0.0");
            assertThat(cluster.api().delete("/upgrades").path("state").asText()).as("of no interest to one that has ended").isEqualTo("FAILED");
            assertThat(cluster.status().path("events")).as("for what nobody has, nobody leaves").filteredOn(each -> each.path("what").asText().equals("DRAINING"))
                    .hasSize(1);
        }
    }

    /** Wrong: an upgrade that ends with the terminal of whoever began it; a stop that leaves the one that is at it half way, or lets the next one begin. */
    @Test
    @Tag("sweep")
    void itGoesOnWithoutWhoeverBeganItAndEndsWhenItIsTold() throws Exception {
        try (Grid grid = Grid.withRepository(); LoopbackCluster cluster = new LoopbackCluster(grid); TcpServer echo = TcpServer.echo()) {
            grid.push(Told.bundle(grid, "1.0.0"));
            cluster.backEnds(2, configuration -> { });
            tells(cluster.node(2), echo, "1.0.0");
            try (Told old = new Told(cluster.node(1), echo)) {
                assertThat(old.version()).isEqualTo("1.0.0");
                grid.push(Told.bundle(grid, "1.1.0"));
                await().until(() -> cluster.isReported(1, "teller") && cluster.isReported(2, "teller"));
                // A JVM that inherits that SIGINT is ignored ignores it, too.
                List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
                command.addAll(CommandLineTool.command("service", "upgrade", "teller", "--cluster", cluster.url(),
                        "--drain", "20s"));
                try (LabProcess began = LabProcess.start("upgrade", command)) {
                    began.awaitLine("b1 takes no new streams", CommandLineTool.PATIENCE);
                    Command.run(List.of("kill", "-INT", Long.toString(began.pid())));
                    assertThat(began.awaitExit(CommandLineTool.PATIENCE)).isEqualTo(ExitCode.FAILED);
                    assertThat(began.errors()).contains("the upgrade goes on: 'tamanoir frontend status --frontend " + cluster.url(), "--stop");
                }
                assertThat(cluster.api().json("/upgrades").path("state").asText()).isEqualTo("RUNNING");
                Command.Result second = upgrade("--cluster", cluster.url());
                assertThat(second.exit()).isEqualTo(ExitCode.FAILED);
                assertThat(second.errors()).startsWith("EE-410 an upgrade is under way");
                Command.Result stop = upgrade("--cluster", cluster.url(), "--stop");
                assertThat(stop.exit()).as(stop.errors()).isEqualTo(ExitCode.DONE);
                assertThat(stop.output()).isEqualToIgnoringNewLines("it ends after the back end that is at it");
                assertThat(old.version()).isEqualTo("1.0.0");
            }
            await().atMost(CommandLineTool.PATIENCE).until(() -> cluster.api().json("/upgrades").path("state").asText().equals("STOPPED"));
            assertThat(current(cluster.node(1))).isEqualTo("1.1.0");
            assertThat(current(cluster.node(2))).isEqualTo("1.0.0");
            assertThat(cluster.standing(1)).isEqualTo("IN");
        }
    }

    private static Node backEnd(Grid grid, TestFrontend frontend) {
        return grid.node(configuration -> configuration.set("cluster", Map.of("name", "b1", "frontends", List.of(frontend.url())))
                .set("drain", "20s"));
    }

    private static Outcome.State outcome(TestFrontend frontend, Order order) {
        Outcome outcome = frontend.last().outcome();
        return outcome == null || !outcome.order().equals(order.id()) ? null : outcome.state();
    }

    private static Order order(int id, String version, long drainMillis) {
        return new Order(String.format("%016x", id), "teller", Told.TYPE, version, drainMillis);
    }

    /** Wrong: a back end that waits for a front-end to let it come back; an order that is carried out twice; one that undoes what an operator has done. */
    @Test
    void aBackEndFinishesAnOrderThoughItsFrontEndIsGoneAndStaysAwayIfItsOperatorWantsIt() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(Told.bundle(grid, "1.0.0"));
            Order first = order(1, null, 3000);
            TestFrontend gone = TestFrontend.onLoopback(null);
            InetSocketAddress at = gone.address();
            Node node = backEnd(grid, gone);
            tells(node, echo, "1.0.0");
            grid.push(Told.bundle(grid, "1.1.0"));
            try (Told open = new Told(node, echo)) {
                open.version();
                gone.order = first;
                await().until(() -> outcome(gone, first) == Outcome.State.DRAINING);
                assertThat(gone.last().state()).isEqualTo(Report.State.LEAVING);
                assertThat(gone.last().outcome().streams()).isEqualTo(1);
                gone.close();
                await().until(() -> current(node).equals("1.1.0"));
                assertThat(open.version()).isEqualTo("1.0.0");
            }
            try (TestFrontend frontend = new TestFrontend(at, null)) {
                frontend.order = first;
                frontend.awaitMore(5);
                assertThat(frontend.reports()).as("done once").allSatisfy(each -> {
                    assertThat(each.state()).isEqualTo(Report.State.SERVING);
                    assertThat(each.outcome()).isEqualTo(new Outcome(first.id(), Outcome.State.DONE, "1.1.0", 1, null));
                });
                Grid.admin(node).post("/cluster/leave", null);
                frontend.awaitState(Report.State.LEAVING);
                Order back = order(2, "1.0.0", 1000);
                frontend.order = back;
                await().until(() -> outcome(frontend, back) == Outcome.State.DONE);
                frontend.awaitMore(3);
                assertThat(frontend.last().state()).as("the operator's word stands").isEqualTo(Report.State.LEAVING);
                assertThat(current(node)).isEqualTo("1.0.0");
                Grid.admin(node).post("/cluster/join", null);
                frontend.awaitState(Report.State.SERVING);
            }
        }
    }

    /** Wrong: a stop that waits for an order, or an order that keeps a node that stops from saying good-bye. */
    @Test
    void aStopInTheMiddleOfAnOrderIsAStop() throws Exception {
        try (Grid grid = Grid.withRepository(); TestFrontend frontend = TestFrontend.onLoopback(null); TcpServer echo = TcpServer.echo()) {
            grid.push(Told.bundle(grid, "1.0.0"));
            Node node = backEnd(grid, frontend);
            Order order = order(1, null, 600_000);
            CompletableFuture<Void> stopping;
            try (Told open = new Told(node, echo)) {
                open.version();
                grid.push(Told.bundle(grid, "1.1.0"));
                frontend.order = order;
                await().until(() -> outcome(frontend, order) == Outcome.State.DRAINING);
                stopping = Grid.async(node::stop);
                frontend.awaitMore(2);
                assertThat(open.version()).isEqualTo("1.0.0");
            }
            stopping.get(40, TimeUnit.SECONDS);
            assertThat(frontend.gone()).hasSize(1);
        }
    }
}
