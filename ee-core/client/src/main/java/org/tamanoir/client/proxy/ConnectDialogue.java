package org.tamanoir.client.proxy;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.identity.destination.Target;

/** HTTP/1.1 CONNECT: a head without content. Strict where leniency would let two readers see two requests. */
final class ConnectDialogue extends ProxyDialogue {
    /** Octets of a head: as much as most servers take. */
    static final int MOST_HEAD = 8 << 10;
    private static final Pattern REQUEST = Pattern.compile("([A-Za-z]+) ([!-~]+) (HTTP/[0-9]\\.[0-9])");
    /** A name, a colon, a value of what can be printed; no folded lines (RFC 9112, section 5.2). */
    private static final Pattern FIELD = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*([ -~\\t\\u0080-\\u00FF]*?)[ \\t]*");

    /** The status of a failure that has one of its own; 0 for the one of its code. */
    private int status;
    private String reason;
    private String field = "";

    ConnectDialogue(Map<String, String> users) {
        super(users);
    }

    @Override
    public Target read(ByteBuf in, ByteBuf out) {
        int end = endOfHead(in);
        if (end < 0) {
            return null;
        }
        String head = in.readCharSequence(end - in.readerIndex(), StandardCharsets.ISO_8859_1).toString();
        List<String> lines = head.lines().toList();
        Matcher request = REQUEST.matcher(lines.get(0));
        if (!request.matches()) {
            throw bad("the request line is not one of HTTP");
        }
        if (!request.group(3).startsWith("HTTP/1.")) {
            throw answered(505, "HTTP Version Not Supported", "", bad("the request is of " + request.group(3) + "; HTTP/1.1 is spoken here"));
        }
        if (!request.group(1).equals("CONNECT")) {
            throw answered(405, "Method Not Allowed", "Allow: CONNECT\r\n", bad("the request is " + request.group(1) + "; this gateway takes CONNECT alone, for https as for http"));
        }
        checkFields(lines.subList(1, lines.size()));
        return target(request.group(2));
    }

    /** The index behind the empty line, or -1. */
    private int endOfHead(ByteBuf in) {
        int line = in.readerIndex();
        int last = Math.min(in.writerIndex(), in.readerIndex() + MOST_HEAD);
        for (int lf = in.indexOf(line, last, (byte) '\n'); lf >= 0; lf = in.indexOf(line, last, (byte) '\n')) {
            if (lf == line || lf == line + 1 && in.getByte(line) == '\r') {
                return lf + 1;
            }
            line = lf + 1;
        }
        if (in.readableBytes() >= MOST_HEAD) {
            throw answered(431, "Request Header Fields Too Large", "", bad("the head of the request is longer than " + MOST_HEAD + " octets"));
        }
        return -1;
    }

    private void checkFields(List<String> lines) {
        String authorization = null;
        for (String line : lines) {
            Matcher field = FIELD.matcher(line);
            if (!line.isEmpty() && !field.matches()) {
                throw bad("a field of the request is not one of HTTP");
            }
            String name = line.isEmpty() ? "" : field.group(1).toLowerCase(Locale.ROOT);
            if (name.equals("transfer-encoding") || name.equals("content-length") && !field.group(2).equals("0")) {
                throw bad("a CONNECT has no content, and this one announces some");
            } else if (name.equals("proxy-authorization")) {
                authorization = field.group(2);
            }
        }
        if (needsUser()) {
            checkAuthorization(authorization);
        }
    }

    /** RFC 7617. */
    private void checkAuthorization(String value) {
        status = 407;
        reason = "Proxy Authentication Required";
        field = "Proxy-Authenticate: Basic realm=\"tamanoir\", charset=\"UTF-8\"\r\n";
        if (value == null || !value.regionMatches(true, 0, "Basic ", 0, 6)) {
            throw notIdentified("the program shows no name and password, and users of this gateway have to");
        }
        String shown;
        try {
            shown = new String(Base64.getDecoder().decode(value.substring(6).strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw notIdentified("what the program shows is no name and password");
        }
        int colon = shown.indexOf(':');
        checkUser(colon < 0 ? shown : shown.substring(0, colon), colon < 0 ? "" : shown.substring(colon + 1));
        status = 0;
        field = "";
    }

    private static Target target(String authority) {
        InetSocketAddress named;
        try {
            named = NodeAddress.unresolved(authority);
        } catch (AnepException e) {
            throw bad("the request names no HOST:PORT");
        }
        return Target.of(named.getHostString(), named.getPort());
    }

    private AnepException answered(int code, String phrase, String more, AnepException why) {
        status = code;
        reason = phrase;
        field = more;
        return why;
    }

    @Override
    public void connected(ByteBuf out) {
        ascii(out, "HTTP/1.1 200 Connected\r\n\r\n");
    }

    @Override
    public void refused(AnepException why, InetSocketAddress destination, ByteBuf out) {
        ProxyFailure failure = ProxyFailure.of(why, destination);
        String text = why.getMessage().replaceAll("[^ -~]", "?");
        ascii(out, "HTTP/1.1 " + (status != 0 ? status + " " + reason : failure.status + " " + failure.reason) + "\r\n" + field
                + "Proxy-Status: tamanoir; error=" + failure.error + "; details=\"" + text.replaceAll("([\\\\\"])", "\\\\$1") + "\"\r\n"
                + "Content-Type: text/plain\r\nContent-Length: " + (text.length() + 1) + "\r\nConnection: close\r\n\r\n" + text + "\n");
    }

    private static void ascii(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.US_ASCII);
    }
}
