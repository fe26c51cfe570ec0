package org.tamanoir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * The log: lines on standard error, from the level that {@value #LEVEL} names. It is a class because logback takes 0.05 s of processor time
 * more to read the same from a file (decision 0027); a file ({@code -Dlogback.configurationFile}, or one on the class path) goes before it.
 */
@ConfiguratorRank(LogSetup.AFTER_FILES)
public final class LogSetup extends ContextAwareBase implements Configurator {
    static final int AFTER_FILES = ConfiguratorRank.NOMINAL - 1;
    private static final String LEVEL = "TAMANOIR_LOG";

    @Override
    public ExecutionStatus configure(LoggerContext log) {
        LogLayout layout = new LogLayout();
        layout.setContext(log);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(log);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(log);
        appender.setName("stderr");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Logger root = log.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(System.getProperty(LEVEL, System.getenv(LEVEL)), Level.WARN));
        root.addAppender(appender);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
