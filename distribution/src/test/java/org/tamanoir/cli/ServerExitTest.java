package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server that is asked to end as soon as it has said that it is ready ends in order. */
class ServerExitTest {
    /** A server whose reader of READY sends SIGTERM before the server can do anything else. */
    static final class Impatient {
        private Impatient() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            PrintWriter reader = new PrintWriter(OutputStream.nullOutputStream()) {
                @Override
                public void flush() {
                    try {
                        new ProcessBuilder("kill", "-TERM", Long.toString(ProcessHandle.current().pid())).start().waitFor();
                        Thread.sleep(1000);
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
            ServerExit.untilStopped(reader, "READY", () -> System.out.println("stopped in order"));
        }
    }

    @Test
    void endsInOrderHoweverSoonAfterReady() throws Exception {
        Process server = Launched.process(Impatient.class).redirectErrorStream(true).start();
        try {
            assertThat(server.inputReader().readLine()).isEqualTo("stopped in order");
            assertThat(server.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isEqualTo(ExitCode.DONE);
        } finally {
            server.destroyForcibly();
        }
    }
}
