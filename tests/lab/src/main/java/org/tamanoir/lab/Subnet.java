package org.tamanoir.lab;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses of a {@link Link} or a {@link Bridge} of a laboratory, all given by its number N. */
public interface Subnet {
    int number();

    /** An address of it: {@code 10.0.N.END}. */
    default InetAddress ipv4(int end) {
        return address("10.0." + number() + "." + end);
    }

    /** The same of IPv6, {@code fd00:0:0:N::END}; the digits of the end are the same. */
    default InetAddress ipv6(int end) {
        return address("fd00:0:0:" + Integer.toHexString(number()) + "::" + end);
    }

    /** {@code 10.0.N.0/24}. */
    default String ipv4Subnet() {
        return "10.0." + number() + ".0/24";
    }

    /** {@code fd00:0:0:N::/64}. */
    default String ipv6Subnet() {
        return "fd00:0:0:" + Integer.toHexString(number()) + "::/64";
    }

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(literal, e);
        }
    }
}
