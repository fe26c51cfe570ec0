package org.tamanoir.node.manage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;

/** Reads the configuration again when its file has changed. A bad one is refused, said once, and the old one stays. */
final class ConfigurationWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationWatch.class);
    private static final long LOOK_MILLIS = 500;

    private final Path file;
    private final Consumer<NodeConfiguration> apply;
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tamanoir-configuration");
        thread.setDaemon(true);
        return thread;
    });
    private FileTime seen;
    private volatile String refused;

    ConfigurationWatch(Path file, Consumer<NodeConfiguration> apply) {
        this.file = file;
        this.apply = apply;
        this.seen = modified();
        looking.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Why the file as it is now was refused, or null if it is in force. */
    String refused() {
        return refused;
    }

    private void look() {
        FileTime now = modified();
        if (now == null || now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            apply.accept(NodeConfiguration.read(file));
            refused = null;
            LOG.info("{} is in force", file);
        } catch (AnepException e) {
            refused = e.getMessage();
            LOG.error("{} is refused and the configuration before stays: {}", file, e.getMessage());
        }
    }

    private FileTime modified() {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
