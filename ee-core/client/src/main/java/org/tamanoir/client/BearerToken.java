package org.tamanoir.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What a program shows to the first node to say whose streams it opens: a JSON Web Token. Whoever sees it can use it, so it leaves this machine by TLS, or
 * where the network between keeps secrets itself.
 *
 * <pre>{@code
 * new TamanoirClient().token(BearerToken.of(Path.of("/run/user/1000/bt_u1000"), false))
 * }</pre>
 *
 * @param current asked for each stream, because tokens live for minutes or hours
 * @param inClear whether it may go to another machine without TLS
 */
public record BearerToken(Supplier<String> current, boolean inClear) {
    /** The first line of a file, read for each stream. */
    public static BearerToken of(Path file, boolean inClear) {
        return new BearerToken(() -> read(file), inClear);
    }

    private static String read(Path file) {
        try {
            String token = Files.readString(file).strip();
            if (!token.isEmpty()) {
                return token;
            }
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "there is no token in " + file);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the token's file " + file + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /**
     * The token for a stream.
     *
     * @param secure whether the node is reached by TLS
     * @throws AnepException EE-222 if others could read it on its way, EE-501 if there is none
     */
    public String to(InetSocketAddress node, boolean secure) {
        if (!secure && !inClear && !node.getAddress().isLoopbackAddress()) {
            throw new AnepException(ErrorCode.TOKEN_EXPOSED, "the token would go to " + node.getAddress().getHostAddress() + " without TLS, and others could use it");
        }
        return current.get();
    }
}
