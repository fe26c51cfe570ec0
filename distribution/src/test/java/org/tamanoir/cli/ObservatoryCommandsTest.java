package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.SeriesLine;

/** What operators, and those who choose, ask an observatory. */
@Timeout(120)
class ObservatoryCommandsTest {
    @TempDir
    private Path directory;

    private static Launched ask(String url, int exit, String... command) throws Exception {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--observatory", url));
        Launched launched = Launched.here(all.toArray(String[]::new));
        assertThat(launched.exit()).as("%s: %s %s", all, launched.out(), launched.err()).isEqualTo(exit);
        return launched;
    }

    private String file(String name, String content) throws Exception {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    @Tag("long")
    void aPlanIsPutAndPathsAreShown() throws Exception {
        try (ObservatoryServer server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")))) {
            String url = server.url();
            String plan = "theodolites: {a: se.a.example, b: se.b.example}\ngroups: {all: {mesh: [\"*\"]}}\ntests: {ping: {tool: round-trip}, flow: {tool: throughput, length: 20s}}\n"
                    + "schedules: {often: {repeat: 1m}, rarely: {repeat: 30s}}\ntasks: {ping: {group: all, test: ping, schedule: often}, flow: {group: all, test: flow, schedule: rarely}}\n";
            assertThat(ask(url, ExitCode.NOT_FOUND, "observatory", "plan", "show").err()).startsWith("EE-407 there is no such plan yet");
            assertThat(ask(url, ExitCode.DONE, "observatory", "plan", "put", file("plan.yaml", plan)).out()).isEqualTo("version 1 is in force, with 4 sessions" + System.lineSeparator());
            assertThat(ask(url, ExitCode.USAGE, "observatory", "plan", "put", file("bad.yaml", "theodolites: [a]\n")).err()).startsWith("EE-780 theodolites");
            assertThat(ask(url, ExitCode.REFUSED, "observatory", "plan", "put", "--replaces", "0", file("plan.yaml", plan + "\n")).err()).startsWith("EE-413 the plan has version 1");
            String template = "{\"addresses\":{\"x\":{\"address\":\"x.example\"},\"y\":{\"address\":\"y.example\"}},\"groups\":{\"g\":{\"type\":\"mesh\",\"addresses\":[{\"name\":\"x\"},{\"name\":\"y\"}]}},"
                    + "\"tests\":{\"t\":{\"type\":\"rtt\",\"spec\":{\"dest\":\"{% address[1] %}\"}},\"u\":{\"type\":\"trace\",\"spec\":{}}},\"schedules\":{\"s\":{\"repeat\":\"PT5M\"}},"
                    + "\"tasks\":{\"k\":{\"group\":\"g\",\"test\":\"t\",\"schedule\":\"s\"},\"l\":{\"group\":\"g\",\"test\":\"u\"}}}";
            assertThat(ask(url, ExitCode.DONE, "observatory", "plan", "put", file("mesh.json", template)).out()).startsWith("version 2 is in force, with 2 sessions").contains("task l is left out");
            ask(url, ExitCode.DONE, "observatory", "plan", "put", file("plan.yaml", plan));
            assertThat(ask(url, ExitCode.DONE, "observatory", "plan", "show", "--of", "1").out()).isEqualTo(plan);
            assertThat(ask(url, ExitCode.DONE, "observatory", "plan", "history").out()).contains("this machine").contains("psconfig");
            assertThat(ask(url, ExitCode.DONE, "observatory", "topology", "put", file("topology.yaml", "domains: {d: {}}\nrules: [{suffix: a.example, domain: d}, {suffix: x.a.example, domain: d}]\n")).out())
                    .startsWith("version 1 is in force").contains("rule 2 (suffix x.a.example -> d) decides nothing");
            assertThat(ask(url, ExitCode.DONE, "observatory", "agenda").out()).contains("flow/be/").contains("theodolite a is asked for 1.47 of its time");

            assertThat(ask(url, ExitCode.DONE, "observatory", "theodolites").out()).as("those that the plan has and nobody knows").containsPattern("a +yes +- +- +- +- +not registered").containsPattern("b +yes +-");
            server.observatory().register("a", "somebody", new Registration("n", "h:1", null, "tamanoir <b>", null));
            long now = System.currentTimeMillis();
            server.observatory().intake().take("{\"theodolite\":\"a\",\"boot\":1,\"number\":1,\"session\":\"ping/be/a/b\",\"kind\":\"round-trip\",\"time\":" + now + ",\"values\":{\"rtt-median\":20.1,\"loss\":0.01}}\n"
                    + "{\"theodolite\":\"a\",\"boot\":1,\"number\":2,\"session\":\"flow/be/a/b\",\"kind\":\"throughput\",\"time\":" + now + ",\"values\":{\"mbits\":80}}\n", "somebody", now);
            assertThat(ask(url, ExitCode.DONE, "observatory", "theodolites").out()).contains("somebody").contains("tamanoir <b>");
            assertThat(ask(url, ExitCode.DONE, "path", "list", "--from", "a").out()).containsPattern("a +b +be +20.100 +1.000 +- +80.0 ");
            assertThat(ask(url, ExitCode.DONE, "path", "list", "--to", "a").out().lines()).hasSize(1);
            assertThat(ask(url, ExitCode.DONE, "path", "show", "a", "b").out()).contains("se.a.example is in d by suffix a.example").contains("se.b.example is in no domain").contains("rtt-median 20.1");
            assertThat(ask(url, ExitCode.DONE, "cost", "--size", "10M", "a", "se.b.example").out()).containsPattern("time +1.04858 s ± ").contains("by throughput of a").contains("not known: no jitter was measured from se.a.example");
            assertThat(ask(url, ExitCode.DONE, "choose", "--to", "b", "c.example", "a").out().lines().toList().get(1)).startsWith("a ");
            server.observatory().intake().take("{\"theodolite\":\"a\",\"boot\":1,\"number\":3,\"kind\":\"stream\",\"time\":" + now + ",\"stream\":17,\"source\":\"192.0.2.7\",\"destination\":\"198.51.100.9\","
                    + "\"class\":\"be\",\"ended\":true,\"octets\":750000000,\"size\":750000000,\"seconds\":60,\"streams\":1,\"cause\":\"receiver\",\"share\":0.9,\"sure\":true,\"sentence\":\"the receiver read too little\"}\n", "somebody", now);
            assertThat(ask(url, ExitCode.DONE, "path", "why", "192.0.2.7", "198.51.100.9").out()).startsWith("receiver, 90 % of the time").contains("1 streams, 750.0 MB")
                    .contains("the slowest: 192.0.2.7 to 198.51.100.9, 100.0 Mbit/s: the receiver read too little").contains("no round trip was measured");
            assertThat(ask(url, ExitCode.DONE, "path", "why", "192.0.2.7", "198.51.100.10", "--last", "60s").out())
                    .startsWith("no theodolite saw a stream from 192.0.2.7 to 198.51.100.10 in the last 60 s");
            Series series = new Series(now - 20_000, new long[] {0, 10_000, 20_000}, Map.of("octets", new long[] {0, 50_000_000, 125_000_000}, "snd_cwnd", new long[] {10, 20, 30}, "snd_mss", new long[] {1000, 1000, 1000},
                    "rtt", new long[] {20_000, 30_000, 25_000}));
            server.observatory().intake().takeSeries(new SeriesLine("a", 1, 1, now, 17, true, "192.0.2.7", "198.51.100.9", series.encode()).json(), "somebody", now);
            assertThat(ask(url, ExitCode.DONE, "path", "why", "192.0.2.7", "198.51.100.9", "--series").out()).contains("stream 17 of a from 192.0.2.7 to 198.51.100.9").containsPattern("rate, Mbit/s\\R +60.0 \\|")
                    .containsPattern("congestion window behind the node, kB\\R +30.0 \\|").containsPattern("round trip behind the node, ms\\R +30.0 \\|");
            ask(url, ExitCode.DONE, "observatory", "release", "a");
            assertThat(ask(url, ExitCode.DONE, "observatory", "theodolites", "--json").out()).contains("\"identity\" : \"\"");
        }
    }

    @Test
    void whereNoneIsTheCommandSaysSo() throws Exception {
        assertThat(ask("127.0.0.1:1", ExitCode.UNREACHABLE, "path", "list").err()).startsWith("EE-786 ");
    }
}
