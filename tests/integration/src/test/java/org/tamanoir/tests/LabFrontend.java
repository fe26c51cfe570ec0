package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;

/** {@code tamanoir frontend run} on a machine of a laboratory, asked and ended as its operator asks and ends it. */
final class LabFrontend {
    static final int PORT = 3327;
    static final String TOKEN = "between-us";

    private final FrontendMachine machine;
    private final String name;
    private final String url;
    private final Host operator;
    private String file;
    private int starts;
    private int pid;

    /**
     * Not started yet.
     *
     * @param url      where back ends and the operator find it
     * @param operator the host of whoever asks it
     */
    LabFrontend(FrontendMachine machine, String name, String url, Host operator) {
        this.machine = machine;
        this.name = name;
        this.url = url;
        this.operator = operator;
    }

    /** Of a front-end at an address. */
    static String url(String address) {
        return "http://" + address + ":" + PORT;
    }

    FrontendMachine machine() {
        return machine;
    }

    /** Writes its file. @param keys besides its name, token, directory and where it listens */
    LabFrontend configure(String keys) throws IOException {
        machine.write("token", TOKEN + "\n");
        file = machine.write("frontend.yaml", "name: " + name + "\nlisten: 0.0.0.0:" + PORT + "\ntoken-file: " + machine.directory() + "/token\ndata: "
                + machine.directory() + "/frontend\n" + keys);
        return this;
    }

    /** Starts it and returns; see {@link #awaitReady}. @param arguments more of the command line */
    LabFrontend start(String... arguments) {
        starts++;
        pid = machine.start(title(), command(arguments));
        return this;
    }

    List<String> command(String... arguments) {
        List<String> all = new ArrayList<>(List.of("frontend", "run", "--config", file));
        all.addAll(List.of(arguments));
        return CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m", "-Djava.io.tmpdir=" + machine.directory()), all.toArray(String[]::new));
    }

    /** Returns when it serves. */
    LabFrontend awaitReady() {
        machine.awaitLine(title(), "READY frontend");
        return this;
    }

    private String title() {
        return "frontend" + starts;
    }

    /** SIGKILL. */
    void kill() {
        machine.run("kill -9 " + pid);
        awaitEnd();
    }

    /** SIGTERM; returns when it has ended. */
    void end() {
        machine.run("kill " + pid);
        awaitEnd();
    }

    private void awaitEnd() {
        await().atMost(ClusterLab.PATIENCE).until(() -> machine.run("kill -0 " + pid + " 2>&1 && echo runs || true").contains("No such process"));
    }

    /** What {@code GET /status} answers. */
    JsonNode status() {
        try {
            return operator.inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(url + "/status").toURL().openConnection();
                connection.setRequestProperty("Connection", "close");
                connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
                connection.setReadTimeout((int) ClusterLab.PATIENCE.toMillis());
                try (InputStream in = connection.getInputStream()) {
                    return new ObjectMapper().readTree(in);
                }
            });
        } catch (Exception e) {
            throw new AssertionError("the front-end: " + e + said(), e);
        }
    }

    JsonNode director() {
        return status().path("director");
    }

    /** What it shows of a back end; a missing node of one that it does not know. */
    JsonNode backEnd(int number) {
        for (JsonNode each : status().path("pools").path(0).path("backEnds")) {
            if (each.path("name").asText().equals("b" + number)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    /** Waits until it shows of a back end what is wanted. */
    void until(int number, Predicate<JsonNode> wanted) {
        try {
            await().atMost(ClusterLab.PATIENCE).until(() -> wanted.test(backEnd(number)));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(status() + said() + machine.run("ipvsadm -Ln 2>&1; nft list ruleset 2>&1; true"), e);
        }
    }

    /** What {@code frontend status} shows to people. */
    String tell() {
        Command.Result result = operator.tryRun(ClusterLab.PATIENCE, CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1"), "frontend", "status",
                "--frontend", url, "--token", TOKEN).toArray(String[]::new));
        if (result.exit() != 0) {
            throw new AssertionError(result.errors());
        }
        return result.output();
    }

    /** For messages. */
    String said() {
        return machine.said(title());
    }
}
