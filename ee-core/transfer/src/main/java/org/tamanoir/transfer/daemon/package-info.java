/**
 * The queue of transfers as a program: {@link org.tamanoir.transfer.daemon.TransferDaemon} has movers do what {@link org.tamanoir.transfer.queue.TransferQueue} decides,
 * keeps it in a file, and answers by HTTP. No octet of a file passes through it.
 */
package org.tamanoir.transfer.daemon;
