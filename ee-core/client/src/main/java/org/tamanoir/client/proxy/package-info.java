/**
 * What programs ask of a proxy, by SOCKS5 (RFC 1928, 1929) or HTTP CONNECT (RFC 9110, section 9.3.6).
 * Without I/O: octets come in, octets to answer go out. {@link org.tamanoir.client.proxy.ProxyDialogue} is where to begin.
 *
 * <p>The codecs of Netty are not used: that of SOCKS does not tell a type of address that it does not know from hostile octets, which have
 * different answers, and that of HTTP would be there for a request line and one field.
 *
 * <p>May use {@code org.tamanoir.client}, its {@code wire}, {@code org.tamanoir.anep} and Netty.
 */
package org.tamanoir.client.proxy;
