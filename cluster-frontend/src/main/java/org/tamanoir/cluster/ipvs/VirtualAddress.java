package org.tamanoir.cluster.ipvs;

import java.net.InetAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * An address that the master of two directors has. Besides those that clients know there is, with NAT, the one that back ends have as their router.
 *
 * @param address          IPv4 or IPv6
 * @param prefix           its length, 1 to 32 or 128
 * @param networkInterface that gets it; null for the one that VRRP runs on
 */
public record VirtualAddress(InetAddress address, int prefix, String networkInterface) {
    /** @throws AnepException EE-905 */
    public VirtualAddress {
        SafeWords.address(address, "a virtual address");
        int most = address.getAddress().length * 8;
        if (prefix < 1 || prefix > most) {
            throw new AnepException(ErrorCode.KEEPALIVED, "the prefix of " + address.getHostAddress() + " is " + prefix + ", not 1 to " + most);
        }
        if (networkInterface != null) {
            SafeWords.networkInterface(networkInterface);
        }
    }

    /** With the full prefix, on the interface of VRRP. */
    public static VirtualAddress of(InetAddress address) {
        return new VirtualAddress(address, address.getAddress().length * 8, null);
    }
}
