/**
 * Why a stream is slow, in one word: from what the kernel says of both its TCP connections at a node ({@link org.tamanoir.paths.verdict.TcpState}) and from the
 * node's own times.
 */
package org.tamanoir.paths.verdict;
