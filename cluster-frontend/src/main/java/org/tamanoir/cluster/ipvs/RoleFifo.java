package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Whether this director is master or backup, as keepalived tells it at each change: lines such as {@code INSTANCE "tamanoir" MASTER 100} in a named pipe
 * ({@code vrrp_notify_fifo} of keepalived.conf(5)).
 */
final class RoleFifo implements AutoCloseable {
    static final String MASTER = "master";
    static final String BACKUP = "backup";
    static final String FAULT = "fault";
    static final String UNKNOWN = "unknown";
    private static final Logger LOG = LoggerFactory.getLogger(RoleFifo.class);
    private static final Pattern LINE = Pattern.compile("INSTANCE \"" + KeepalivedConf.INSTANCE + "\" ([A-Z_]+)(?: \\d+)?");
    private static final int MOST_LINE = 256;

    private final Path path;
    private final RandomAccessFile pipe;
    private volatile String role = UNKNOWN;
    private volatile boolean closed;

    /** Makes the pipe; one that an earlier run has left goes. @throws AnepException EE-905 */
    RoleFifo(Path path) {
        this.path = path;
        try {
            Files.deleteIfExists(path);
            SystemProgram.find("mkfifo", "coreutils", ErrorCode.KEEPALIVED).run(null, List.of("--mode=600", path.toString()));
            // For reading and writing: it can be opened before keepalived is there, and does not end when that does.
            pipe = new RandomAccessFile(path.toFile(), "rw");
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot make the pipe " + path + ": " + AnepException.reason(e), e);
        }
        Thread reader = new Thread(this::read, "tamanoir-vrrp-role");
        reader.setDaemon(true);
        reader.start();
    }

    /** {@link #MASTER}, {@link #BACKUP}, {@link #FAULT} or {@link #UNKNOWN}. */
    String role() {
        return role;
    }

    /** What a keepalived that has gone has said holds no more. */
    void forget() {
        role = UNKNOWN;
    }

    private void read() {
        StringBuilder line = new StringBuilder();
        try (pipe) {
            for (int octet = pipe.read(); octet >= 0 && !closed; octet = pipe.read()) {
                if (octet == '\n') {
                    told(line.toString());
                    line.setLength(0);
                } else if (line.length() < MOST_LINE) {
                    line.append((char) octet);
                }
            }
        } catch (IOException e) {
            LOG.warn("the role of this director is not known any more: {}", e.getMessage());
            role = UNKNOWN;
        }
    }

    private void told(String line) {
        String now = role(line, role);
        if (!now.equals(role)) {
            LOG.info("this director is {} now", now);
            role = now;
        }
    }

    /** What a line makes of the role; what is not about it leaves it. */
    static String role(String line, String before) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return before;
        }
        return switch (matcher.group(1)) {
            case "MASTER" -> MASTER;
            case "BACKUP" -> BACKUP;
            case "FAULT" -> FAULT;
            case "STOP" -> UNKNOWN;
            default -> before;
        };
    }

    /** Ends the reader and removes the pipe. */
    @Override
    public void close() {
        closed = true;
        try (RandomAccessFile waker = new RandomAccessFile(path.toFile(), "rw")) {
            // Whoever waits in read(2) is woken by nothing but an octet.
            waker.write("\n".getBytes(StandardCharsets.US_ASCII));
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.debug("{} was gone: {}", path, e.getMessage());
        }
    }
}
