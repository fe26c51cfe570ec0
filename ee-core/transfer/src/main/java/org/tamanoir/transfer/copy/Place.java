package org.tamanoir.transfer.copy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.file.FileName;

/**
 * Where something is copied from or to.
 *
 * @param mover null for this machine
 * @param path of this machine, or of the mover, where it is relative to its root; without a {@code /} at its end
 * @param directory whether it was written with a {@code /} at its end
 */
public record Place(InetSocketAddress mover, String path, boolean directory) {
    private static final String MOVER = "tam://";

    /** {@code tam://HOST:PORT/PATH}, or a path of this machine. @throws AnepException EE-408 if it is neither, EE-108 if the path is none */
    public static Place parse(String text) {
        if (!text.startsWith(MOVER)) {
            if (text.isEmpty() || text.matches("[a-z][a-z0-9+.-]*://.*")) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no place to copy from or to: write a path of this machine, or " + MOVER + "HOST:PORT/PATH");
            }
            return new Place(null, stripped(text).isEmpty() ? "/" : stripped(text), text.endsWith("/"));
        }
        String rest = text.substring(MOVER.length());
        int slash = rest.indexOf('/');
        String path = slash < 0 ? "" : stripped(rest.substring(slash + 1));
        String fault = path.isEmpty() ? null : FileName.fault(path);
        if (fault != null) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "no file of a mover is called " + FileName.shown(path) + ": " + fault);
        }
        return new Place(NodeAddress.hostPort(slash < 0 ? rest : rest.substring(0, slash)), path, path.isEmpty() || text.endsWith("/"));
    }

    private static String stripped(String path) {
        return path.replaceAll("/+$", "");
    }

    /** The last part of its path; empty for the root of a mover. */
    String name() {
        String whole = mover == null ? Path.of(path).toAbsolutePath().normalize().toString() : path;
        return whole.substring(whole.lastIndexOf('/') + 1);
    }

    @Override
    public String toString() {
        return mover == null ? path : MOVER + mover.getHostString() + ":" + mover.getPort() + "/" + path;
    }
}
