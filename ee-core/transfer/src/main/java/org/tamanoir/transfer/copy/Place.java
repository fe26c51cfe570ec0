package org.tamanoir.transfer.copy;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.file.FileName;

/**
 * Where something is copied from or to.
 *
 * @param movers that serve the same files, as those of a file system that they share; none for this machine, and for a file of a web server. The first one is asked
 *     what is there, and keeps the journal of what is written
 * @param path of this machine; of the mover, where it is relative to its root; without a {@code /} at its end; or the URL of the file of a web server
 * @param directory whether it was written with a {@code /} at its end
 */
public record Place(List<InetSocketAddress> movers, String path, boolean directory) {
    private static final String MOVER = "tam://";
    private static final int MOST_MOVERS = 64;
    private static final Pattern WEB = Pattern.compile("https?://.*", Pattern.CASE_INSENSITIVE);

    /** {@code tam://HOST:PORT[,HOST:PORT…]/PATH}, {@code https://HOST/PATH}, or a path of this machine. @throws AnepException EE-408 if it is neither, EE-108 if the path is none */
    public static Place parse(String text) {
        if (WEB.matcher(text).matches()) {
            return new Place(List.of(), url(text).toString(), false);
        }
        if (!text.startsWith(MOVER)) {
            if (text.isEmpty() || text.matches("[a-z][a-z0-9+.-]*://.*")) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no place to copy from or to: write a path of this machine, " + MOVER + "HOST:PORT/PATH, or https://HOST/PATH");
            }
            return new Place(List.of(), stripped(text).isEmpty() ? "/" : stripped(text), text.endsWith("/"));
        }
        String rest = text.substring(MOVER.length());
        int slash = rest.indexOf('/');
        String path = slash < 0 ? "" : stripped(rest.substring(slash + 1));
        String fault = path.isEmpty() ? null : FileName.fault(path);
        if (fault != null) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "no file of a mover is called " + FileName.shown(path) + ": " + fault);
        }
        List<InetSocketAddress> movers = Stream.of((slash < 0 ? rest : rest.substring(0, slash)).split(",", -1)).map(NodeAddress::hostPort).toList();
        if (movers.size() > MOST_MOVERS || Set.copyOf(movers).size() < movers.size()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' names a mover twice, or more than " + MOST_MOVERS);
        }
        return new Place(movers, path, path.isEmpty() || text.endsWith("/"));
    }

    /** The first of its movers; null if it has none. */
    public InetSocketAddress mover() {
        return movers.isEmpty() ? null : movers.get(0);
    }

    private static URI url(String text) {
        try {
            URI url = new URI(text);
            if (url.getHost() == null || url.getRawUserInfo() != null || url.getRawFragment() != null) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no URL of a file: it has no host, or a user or a fragment");
            }
            String name = nameOf(url);
            if (FileName.fault(name) != null || name.contains("/")) {
                throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "'" + text + "' ends with no name for a file: " + FileName.shown(name));
            }
            return url;
        } catch (URISyntaxException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no URL: " + e.getReason(), e);
        }
    }

    /** The last part of its path, without escapes. */
    private static String nameOf(URI url) {
        String last = url.getRawPath().substring(url.getRawPath().lastIndexOf('/') + 1);
        return URI.create("/" + last).getPath().substring(1);
    }

    /** Whether it is a file of a web server. */
    public boolean isWeb() {
        return movers.isEmpty() && WEB.matcher(path).matches();
    }

    /** Whether it is of this machine. */
    boolean isLocal() {
        return movers.isEmpty() && !isWeb();
    }

    private static String stripped(String path) {
        return path.replaceAll("/+$", "");
    }

    /** The last part of its path; empty for the root of a mover. */
    String name() {
        if (isWeb()) {
            return nameOf(URI.create(path));
        }
        String whole = movers.isEmpty() ? Path.of(path).toAbsolutePath().normalize().toString() : path;
        return whole.substring(whole.lastIndexOf('/') + 1);
    }

    /** The host of its first mover as it was written, in brackets if it is an IPv6 address. */
    public String site() {
        return host(mover());
    }

    private static String host(InetSocketAddress mover) {
        String host = mover.getHostString();
        return host.indexOf(':') < 0 ? host : "[" + host + "]";
    }

    /** An address as places are written with. */
    static String text(InetSocketAddress mover) {
        return host(mover) + ":" + mover.getPort();
    }

    @Override
    public String toString() {
        return movers.isEmpty() ? path : MOVER + movers.stream().map(Place::text).collect(Collectors.joining(",")) + "/" + path;
    }
}
