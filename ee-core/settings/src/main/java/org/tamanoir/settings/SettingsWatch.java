package org.tamanoir.settings;

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
import org.tamanoir.anep.ErrorCode;

/** Has a file read again when it has changed. A bad one is refused, said once, and what was in force before stays. */
public final class SettingsWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsWatch.class);
    private static final long LOOK_MILLIS = 500;

    private final Path file;
    private final Consumer<Path> apply;
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tamanoir-configuration");
        thread.setDaemon(true);
        return thread;
    });
    private FileTime seen;
    private FileTime lookedAt;
    private volatile String refused;

    /** @param apply reads the file and puts it in force, or throws and changes nothing; called by one thread at a time */
    public SettingsWatch(Path file, Consumer<Path> apply) {
        this.file = file;
        this.apply = apply;
        this.seen = modified();
        looking.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Why the file as it is now was refused, or null if it is in force. */
    public String refused() {
        return refused;
    }

    private synchronized void look() {
        FileTime now = modified();
        boolean stable = now != null && now.equals(lookedAt);
        lookedAt = now;
        // One that is being written may be empty at this moment, which would be a configuration too: wait until it has come to rest.
        if (!stable || now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            read();
        } catch (RuntimeException e) {
            // Said already; the next change must be looked at all the same.
        }
    }

    /**
     * Reads the file now, changed or not.
     *
     * @throws AnepException why it is refused
     */
    public synchronized void apply() {
        seen = modified();
        read();
    }

    private void read() {
        try {
            apply.accept(file);
            refused = null;
            LOG.info("{} is in force", file);
        } catch (AnepException e) {
            refused = e.getMessage();
            LOG.error("{} is refused and the configuration before stays: {}", file, e.getMessage());
            throw e;
        } catch (RuntimeException e) {
            refused = ErrorCode.INTERNAL + " " + e;
            LOG.error("{} is refused and the configuration before stays", file, e);
            throw e;
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
