/**
 * {@code tamanoir bench scale}: what a node carries and takes as there is more of something: streams that stay open, routes, services, nodes in a row,
 * processors. On loopback, with processes of their own; needs no root.
 */
package org.tamanoir.benchmarks.scale;
