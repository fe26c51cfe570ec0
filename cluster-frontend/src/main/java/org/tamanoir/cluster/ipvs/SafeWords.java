package org.tamanoir.cluster.ipvs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Words that may stand in a configuration of keepalived and in commands of nft. Its parser takes {@code # ! " ' $ { } @ ~ \}, spaces and new lines for more
 * than letters (keepalived.conf(5)); none of them is let through, so there is nothing to escape.
 */
final class SafeWords {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    /** The kernel's limit is 15 octets (IFNAMSIZ). */
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,14}");
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._/+-]{0,199}");

    private SafeWords() {
    }

    /** The name of a back end. @throws AnepException EE-905 */
    static String name(String name) {
        return word(NAME, name, "the name of a back end");
    }

    /** @throws AnepException EE-905 */
    static String networkInterface(String name) {
        return word(INTERFACE, name, "the name of a network interface");
    }

    /** @throws AnepException EE-905 */
    static String path(Path path) {
        return word(PATH, path.toString(), "the absolute path of a file of keepalived");
    }

    /** An address as both programs read it. @throws AnepException EE-905 for those of no single host, and those that need an interface */
    static String address(InetAddress address, String what) {
        if (address == null || address.isAnyLocalAddress() || address.isMulticastAddress()
                || address instanceof Inet6Address six && (six.isLinkLocalAddress() || six.getScopeId() != 0)) {
            throw new AnepException(ErrorCode.KEEPALIVED, what + " cannot be " + (address == null ? "missing" : address.getHostAddress()));
        }
        return address.getHostAddress();
    }

    /** @throws AnepException EE-905 */
    static int port(int port, String what) {
        return number(port, 1, 65_535, what);
    }

    /** @throws AnepException EE-905 */
    static int number(int number, int least, int most, String what) {
        if (number < least || number > most) {
            throw new AnepException(ErrorCode.KEEPALIVED, what + " is " + number + ", not " + least + " to " + most);
        }
        return number;
    }

    private static String word(Pattern pattern, String word, String what) {
        if (word == null || !pattern.matcher(word).matches()) {
            throw new AnepException(ErrorCode.KEEPALIVED, what + " cannot be '" + shown(word) + "'");
        }
        return word;
    }

    private static String shown(String word) {
        String text = String.valueOf(word);
        return (text.length() > 80 ? text.substring(0, 80) + "…" : text).replaceAll("\\p{Cntrl}", "?");
    }
}
