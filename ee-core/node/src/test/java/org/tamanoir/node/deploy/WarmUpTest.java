package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class WarmUpTest {
    @TempDir
    private Path directory;

    /** A bundle that did not start would be said, and would warm nothing. */
    @Test
    void startsABundleAndLeavesNothingBehind() throws Exception {
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger(WarmUp.class);
        logger.addAppender(said);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        Path files = Files.createDirectory(directory.resolve("files"));
        try (ServiceContainer container = new ServiceContainer(directory.resolve("framework"))) {
            WarmUp.run(container, files);
            WarmUp.run(container, files);
            assertThat(said.list).isEmpty();
            assertThat(files).isEmptyDirectory();
            WarmUp.run(container, files.resolve("missing"));
            assertThat(said.list).hasSize(1).first().extracting(ILoggingEvent::getFormattedMessage).asString().contains("will take a little longer");
        } finally {
            logger.detachAppender(said);
        }
    }
}
