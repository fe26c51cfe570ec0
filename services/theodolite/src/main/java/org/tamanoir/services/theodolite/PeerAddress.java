package org.tamanoir.services.theodolite;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses as an observatory writes them. */
final class PeerAddress {
    private PeerAddress() {
    }

    /**
     * {@code HOST:PORT}, {@code [ADDRESS]:PORT}, a host or an address alone.
     *
     * @param port if it says none
     * @return null if the host has no address
     */
    static InetSocketAddress of(String text, int port) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > 0 && (text.charAt(colon - 1) == ']' || text.indexOf(':') == colon) && text.substring(colon + 1).matches("\\d{1,5}");
        String host = hasPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int number = hasPort ? Integer.parseInt(text.substring(colon + 1)) : port;
        try {
            return number < 1 || number > 65_535 ? null : new InetSocketAddress(InetAddress.getByName(host), number);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
