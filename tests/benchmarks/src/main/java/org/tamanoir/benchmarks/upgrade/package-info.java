/**
 * {@code bench upgrade}: what streams see while the service that they go through is upgraded every second, a repository is killed and
 * restarted, and a neighbour dies. All on loopback, with nodes that are processes of their own; needs no root.
 */
package org.tamanoir.benchmarks.upgrade;
