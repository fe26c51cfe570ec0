/**
 * Measuring the way to another node: trains of STAMP packets (RFC 8762, RFC 8972), sent in a code point and answered by any reflector of
 * that protocol. A service says what to send and computes from the answers; the node has the sockets.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.probe;
