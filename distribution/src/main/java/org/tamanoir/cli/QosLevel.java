package org.tamanoir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Flow;

/** A service level as commands take it: a file, or the text itself. */
final class QosLevel {
    static final String EXPLAINED = "What the flow needs: a file with a service level as JSON, or the short form such as delay=low,rate=medium "
            + "or maxDelayMs=10,traffic=5000000 (octets a second) or size=5000000000,within=10m (octets).";

    private QosLevel() {
    }

    /**
     * Reads it.
     *
     * @param udp whether the flow goes over UDP, whatever the text says
     * @throws AnepException EE-801, or EE-407 if it is neither text nor a file
     */
    static ServiceLevel read(String text, boolean udp) {
        ServiceLevel level = LevelReader.read(isText(text) ? text : content(text));
        Flow flow = level.flow();
        Transport transport = udp ? Transport.UDP : Transport.TCP;
        return level.with(new Flow(transport, flow.source(), flow.destination(), flow.sourcePort(), flow.destinationPort(), flow.stream()));
    }

    private static boolean isText(String text) {
        try {
            return !Files.exists(Path.of(text)) && (text.contains("=") || text.stripLeading().startsWith("{"));
        } catch (InvalidPathException e) {
            return true;
        }
    }

    private static String content(String name) {
        Path file = Path.of(name);
        if (!Files.exists(file)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file '" + name + "', and it is no text such as delay=low,rate=medium");
        }
        try {
            if (Files.size(file) > LevelReader.MOST_TEXT) {
                throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, name + " is larger than " + LevelReader.MOST_TEXT + " octets");
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, name + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /** A session code. */
    static long code(String text) {
        try {
            long code = Long.parseUnsignedLong(text, 16);
            if (code != 0) {
                return code;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no session code: 1 to 16 hexadecimal digits");
    }
}
