package org.tamanoir.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.tamanoir.anep.PlainText;

/**
 * One line for each event, {@code 12:00:00.000 WARN  Deployer: text}, and below it four frames of each exception. Messages and the words of
 * exceptions can come from peers: they are made plain here, so that nobody else writes a line of this log.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
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
