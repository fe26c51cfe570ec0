/**
 * What a machine needs so that a director can forward to it by direct routing or through a tunnel: the virtual address on {@code lo}, silence about it
 * in ARP, a tunnel device of its own, a way back for answers, sockets bound to the address. Everything is written down before it is done, and taken
 * away at the end, or at the next start after a crash; what was there before is not touched.
 *
 * <p>Made by the program {@code ip} and by files of {@code /proc/sys}, not by netlink of our own: it is done a few times in the life of a node, what
 * goes wrong is said in words that operators know, and it can be repeated by hand. The check of each second reads files and asks the JDK, and starts no
 * program.
 */
package org.tamanoir.node.cluster.virtual;
