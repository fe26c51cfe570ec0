package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

class LogSetupTest {
    private static final String LEVEL = "TAMANOIR_LOG";
    private static final String FILE = "logback.configurationFile";

    @TempDir
    private Path directory;
    private final LogSetup setup = new LogSetup();
    private final LoggerContext log = setup.getLoggerFactory();

    @AfterEach
    void stop() {
        System.clearProperty(LEVEL);
        System.clearProperty(FILE);
        log.stop();
    }

    private ch.qos.logback.classic.Logger root() {
        setup.initialize();
        return log.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    /** A peer's text writes no line of its own, and nothing that a terminal obeys. */
    @Test
    void whatAPeerSaysStaysInItsLine() {
        ConsoleAppender<ILoggingEvent> stderr = (ConsoleAppender<ILoggingEvent>) root().getAppender("stderr");
        String text = new String(stderr.getEncoder().encode(new LoggingEvent("", log.getLogger("a.Fetcher"), Level.WARN, "it says {}",
                new IOException("x\n12:00:00.000 ERROR a\u009b"), new Object[] {"no\r\n12:00:00.000 WARN  Node: all is well\u001b[2K"})),
                StandardCharsets.UTF_8);
        assertThat(text.lines().filter(line -> line.matches("\\d\\d:.*"))).singleElement().asString()
                .endsWith(" WARN  Fetcher: it says no  12:00:00.000 WARN  Node: all is well?[2K");
        assertThat(text.lines().skip(1).findFirst()).contains("java.io.IOException: x 12:00:00.000 ERROR a?");
        assertThat(text.lines().filter(line -> line.startsWith("\tat "))).hasSize(4);
    }

    @Test
    void warningsGoToStandardError() {
        assertThat(root().getLevel()).isEqualTo(Level.WARN);
        assertThat(root().getAppender("stderr")).isNotNull();
    }

    @Test
    void theLevelIsTheOneThatIsAskedFor() {
        System.setProperty(LEVEL, "debug");
        assertThat(root().getLevel()).isEqualTo(Level.DEBUG);
    }

    @Test
    void aFileGoesBefore() throws IOException {
        Path file = Files.writeString(directory.resolve("log.xml"), "<configuration><root level='ERROR'/></configuration>");
        System.setProperty(FILE, file.toString());
        assertThat(root().getLevel()).isEqualTo(Level.ERROR);
        assertThat(root().getAppender("stderr")).isNull();
    }

    /** Wrong: a program whose log is set up by logback, as it finds it, and goes where commands print. */
    @Test
    void itIsTheLogOfTheProgram() throws Exception {
        Path from = Files.writeString(directory.resolve("from"), "x");
        Path errors = directory.resolve("errors");
        ProcessBuilder copy = Launched.process("copy", from.toString(), directory.resolve("to").toString()).redirectError(errors.toFile());
        copy.environment().put(LEVEL, "DEBUG");
        Process process = copy.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(errors).content(StandardCharsets.UTF_8).containsPattern("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} DEBUG \\w+: ");
        assertThat(output).startsWith("copied 1 files").doesNotContain("DEBUG");
    }
}
