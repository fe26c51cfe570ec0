package org.tamanoir.oci;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;

/**
 * Where something is in a registry.
 *
 * @param origin of the registry: scheme, host, and port if it is not the scheme's
 * @param host   the same without a scheme, as files of credentials have it
 * @param name   of the repository in it, such as {@code grid/services}
 */
public record Location(URI origin, String host, String name) {
    /** {@code oci://} is https, but on this machine; the other two say which. */
    private static final Pattern URL = Pattern.compile("(?i)(oci|oci\\+https|oci\\+http)://(?<host>[a-z0-9.-]+|\\[[0-9a-f:.]+])(?<port>:\\d{1,5})?/(?<name>[^?#]*)");
    private static final Pattern COMPONENT = Pattern.compile("[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final int MOST_NAME = 255;
    private static final int MOST_PORT = 65_535;

    /**
     * Reads {@code oci://HOST[:PORT]/NAME}, which is https, and http where the host is this machine; or {@code oci+http://…} or {@code oci+https://…}, which say so.
     *
     * @throws AnepException EE-501 if it is none
     */
    public static Location parse(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw bad(url, "write oci://HOST/NAME or oci://HOST:PORT/NAME");
        }
        String scheme = matcher.group(1).toLowerCase(Locale.ROOT);
        String host = matcher.group("host").toLowerCase(Locale.ROOT);
        String port = matcher.group("port") == null ? "" : matcher.group("port");
        if (!port.isEmpty() && (port.equals(":0") || Integer.parseInt(port.substring(1)) > MOST_PORT)) {
            throw bad(url, "there is no port " + port.substring(1));
        }
        boolean plain = scheme.equals("oci+http") || scheme.equals("oci") && isThisMachine(host);
        try {
            URI origin = URI.create((plain ? "http://" : "https://") + host + port);
            if (origin.getHost() == null) {
                throw bad(url, "'" + host + "' is no host");
            }
            return new Location(origin, host + port, checked(url, matcher.group("name")));
        } catch (IllegalArgumentException e) {
            throw bad(url, e.getMessage());
        }
    }

    private static String checked(String url, String name) {
        for (String component : name.split("/", -1)) {
            if (!COMPONENT.matcher(component).matches()) {
                throw bad(url, "'" + component + "' is no part of a name: lower-case letters and digits, with single dots, one or two underscores, or dashes between them");
            }
        }
        if (name.length() > MOST_NAME) {
            throw bad(url, "a name has at most " + MOST_NAME + " characters");
        }
        return name;
    }

    private static AnepException bad(String url, String why) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + url + "' names no place in a registry: " + why);
    }

    private static boolean isThisMachine(String host) {
        return LOOPBACK.matcher(host).matches();
    }

    /**
     * The repository below this one for a service: its name, where registries take that as a name, and {@code escaped/} with its name in hexadecimal where they do not. Of a
     * guest's service both parts of the name in this way, below {@code guest/}, which is one part more than any other service has.
     *
     * @param service of {@link ServiceName#ANY}
     * @throws AnepException EE-501 if that is too long for a name
     */
    public Location of(String service) {
        String label = ServiceName.label(service);
        String below = label == null ? part(service) : "guest/" + part(label) + "/" + part(service.substring(ServiceName.prefix(label).length()));
        return new Location(origin, host, checked(this + "/" + below, name + "/" + below));
    }

    private static String part(String name) {
        return COMPONENT.matcher(name).matches() ? name : "escaped/" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether it is reached without TLS. */
    boolean isPlain() {
        return origin.getScheme().equals("http");
    }

    /** Whether a URL leads to the same registry: the only place that sees credentials. */
    boolean isOrigin(URI other) {
        return origin.getScheme().equalsIgnoreCase(other.getScheme()) && origin.getHost().equalsIgnoreCase(other.getHost()) && port(origin) == port(other);
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }

    /** Whether answers may lead there: from https never to http. */
    boolean mayLeadTo(URI other) {
        return other.getHost() != null && other.getRawUserInfo() == null
                && ("https".equalsIgnoreCase(other.getScheme()) || isPlain() && "http".equalsIgnoreCase(other.getScheme()));
    }

    URI blob(String digest) {
        return URI.create(origin + "/v2/" + name + "/blobs/" + digest);
    }

    URI uploads() {
        return URI.create(origin + "/v2/" + name + "/blobs/uploads/");
    }

    /** @param reference a tag or a digest */
    URI manifest(String reference) {
        return URI.create(origin + "/v2/" + name + "/manifests/" + reference);
    }

    @Override
    public String toString() {
        return "oci://" + host + "/" + name;
    }
}
