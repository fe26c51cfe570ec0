/**
 * {@code bench memory}: what nodes cost when nothing moves. A receiver that never reads, a thousand idle streams, and the time from start to
 * service. All on loopback, with nodes that are processes of their own; needs no root.
 */
package org.tamanoir.benchmarks.memory;
