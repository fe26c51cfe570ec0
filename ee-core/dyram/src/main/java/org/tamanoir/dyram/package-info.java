/**
 * DyRAM, reliable multicast with local recovery: the protocol of {@code docs/dyram.md} without any input or output. Source, node and receiver
 * are classes that take (time, message) and say what to send; Netty drives them in the client and in the bundle, a seeded simulator in
 * the tests and for the figures of the papers.
 */
package org.tamanoir.dyram;
