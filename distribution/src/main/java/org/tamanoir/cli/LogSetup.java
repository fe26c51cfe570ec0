package org.tamanoir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.JoranException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Properties;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;
import org.tamanoir.anep.PlainText;

/**
 * The log: lines on standard error, from the level that {@value #LEVEL} names. It is a provider of SLF4J with logback behind it, because logback by
 * itself looks into every jar of the class path for what could set it up, and takes 0.1 s of processor time for it at each start (decision 0027). A file
 * of logback's goes before it: {@code -Dlogback.configurationFile}.
 */
public final class LogSetup implements SLF4JServiceProvider {
    private static final String LEVEL = "TAMANOIR_LOG";
    private static final String FILE = "logback.configurationFile";

    private final LoggerContext log = new LoggerContext();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

    /** Has SLF4J take this one; only before the first logger. */
    static void use() {
        Properties system = System.getProperties();
        system.putIfAbsent("slf4j.provider", LogSetup.class.getName());
        // SLF4J would say on standard error that it does.
        system.putIfAbsent("slf4j.internal.verbosity", "WARN");
    }

    @Override
    public void initialize() {
        log.setName("default");
        log.setMDCAdapter(diagnostics);
        if (System.getProperty(FILE) == null) {
            setUp();
        } else {
            try {
                new ContextInitializer(log).autoConfig();
            } catch (JoranException e) {
                throw new IllegalStateException(e);
            }
        }
        log.start();
    }

    @Override
    public LoggerContext getLoggerFactory() {
        return log;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    private void setUp() {
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
