/**
 * Probes of the way to other nodes: STAMP (RFC 8762, RFC 8972), the reflector that answers those of others and the sender of trains. One
 * thread has all sockets; {@link org.tamanoir.node.probe.ProbeService} is the door. {@code Stamp}, {@code StampReply}, {@code RateBound} and
 * {@code TrainTable} do no input or output: time and datagrams are given to them. Uses nothing else of the node.
 */
package org.tamanoir.node.probe;
