package org.tamanoir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.tamanoir.anep.PlainText;

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

    /**
     * One line for each event, {@code 12:00:00.000 WARN  Deployer: text}, and below it four frames of each exception. Messages and the words of
     * exceptions can come from peers: they are made plain here, so that nobody else writes a line of this log.
     */
    static final class LogLayout extends LayoutBase<ILoggingEvent> {
        private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
        private static final int FRAMES = 4;

        @Override
        public String doLayout(ILoggingEvent event) {
            String logger = event.getLoggerName();
            StringBuilder text = new StringBuilder(120);
            TIME.formatTo(event.getInstant(), text);
            text.append(' ').append(String.format("%-5s", event.getLevel())).append(' ').append(logger.substring(logger.lastIndexOf('.') + 1)).append(": ")
                    .append(PlainText.of(event.getFormattedMessage())).append('\n');
            String before = "";
            for (IThrowableProxy error = event.getThrowableProxy(); error != null && !error.isCyclic(); error = error.getCause()) {
                text.append(before).append(error.getClassName()).append(": ").append(PlainText.of(error.getMessage())).append('\n');
                StackTraceElementProxy[] frames = error.getStackTraceElementProxyArray();
                for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                    text.append('\t').append(frames[i]).append('\n');
                }
                before = "Caused by: ";
            }
            return text.toString();
        }
    }
}
