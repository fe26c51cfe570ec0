/**
 * Whether back ends answer: {@code GET /health} of each, again and again. {@link org.tamanoir.cluster.check.Check} decides and does no I/O;
 * {@link org.tamanoir.cluster.check.HealthChecks} asks. For engines that bring no checks of their own; keepalived does.
 */
package org.tamanoir.cluster.check;
