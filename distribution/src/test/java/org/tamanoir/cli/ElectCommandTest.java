package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a command ends whose group is lost: before anybody else can hold it. */
class ElectCommandTest {
    private static Process started(String script, int descendants) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", script).start();
        for (int i = 0; i < 500 && process.descendants().count() < descendants; i++) {
            Thread.sleep(10);
        }
        return process;
    }

    @Test
    void aNumberThatHasGrownIsStillThatOfTheHolder() throws Exception {
        ObjectMapper json = new ObjectMapper();
        assertThat(ElectCommand.isHeld(json.readTree("{\"group\":\"g\",\"holder\":\"ada\",\"number\":1033217,\"remaining\":900}"), "ada")).isTrue();
        assertThat(ElectCommand.isHeld(json.readTree("{\"group\":\"g\",\"holder\":\"ada\"}"), "ada")).isFalse();
        assertThat(ElectCommand.isHeld(json.readTree("{\"group\":\"g\",\"holder\":null,\"error\":\"EE-204 no\"}"), "ada")).isFalse();
    }

    @Test
    void itIsAskedToEndWhileAPartOfTheLeaseIsLeft() {
        assertThat(ElectCommand.grace(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(1));
        assertThat(ElectCommand.grace(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    @Tag("long")
    void whatDoesNotEndByItselfIsKilledAtTheEndOfTheLease() throws Exception {
        Process process = started("trap '' TERM; while true; do sleep 60; done", 1);
        List<ProcessHandle> children = process.descendants().toList();
        long begin = System.nanoTime();
        ElectCommand.stop(process, begin + Duration.ofMillis(300).toNanos());
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(4));
        assertThat(process.isAlive()).isFalse();
        assertThat(children).isNotEmpty();
        for (ProcessHandle child : children) {
            child.onExit().get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    @Tag("long")
    void whatTheCommandHasStartedEndsWithIt() throws Exception {
        Process process = started("sleep 60 & sleep 60; true", 2);
        List<ProcessHandle> children = process.descendants().toList();
        assertThat(children).hasSize(2);
        ElectCommand.stop(process, System.nanoTime() + Duration.ofSeconds(20).toNanos());
        for (ProcessHandle child : children) {
            child.onExit().get(5, TimeUnit.SECONDS);
        }
    }
}
