package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogSetupTest {
    private static final String LEVEL = "TAMANOIR_LOG";

    private final LoggerContext log = new LoggerContext();

    @AfterEach
    void stop() {
        System.clearProperty(LEVEL);
        log.stop();
    }

    private ch.qos.logback.classic.Logger root() throws Exception {
        new ContextInitializer(log).autoConfig();
        return log.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    /** As logback finds it by itself. */
    @Test
    void warningsGoToStandardError() throws Exception {
        assertThat(root().getLevel()).isEqualTo(Level.WARN);
        assertThat(root().getAppender("stderr")).isNotNull();
    }

    @Test
    void theLevelIsTheOneThatIsAskedFor() throws Exception {
        System.setProperty(LEVEL, "debug");
        assertThat(root().getLevel()).isEqualTo(Level.DEBUG);
    }
}
