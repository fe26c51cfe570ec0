/**
 * The files of a mover by HTTP, for programs that know nothing of movers: {@link org.tamanoir.transfer.front.HttpFront}. GET with ranges and checksums, PUT, what of WebDAV
 * (RFC 4918) grid clients use, and COPY between servers (HTTP-TPC of WLCG).
 */
package org.tamanoir.transfer.front;
