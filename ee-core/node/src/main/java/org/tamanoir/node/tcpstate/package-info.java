/**
 * What the kernel says of the TCP connections of streams: who reads it when, within which budget, what of it is kept, and what the core
 * ({@link org.tamanoir.paths.verdict.Verdict}) makes of it. Uses {@code transport}.
 */
package org.tamanoir.node.tcpstate;
