/**
 * A node as a back end of a cluster (<i>Designing and Evaluating An Active Grid Architecture</i>, 2003, section 3.1.3): registers with front-ends,
 * tells them its load, answers their checks, takes streams at their virtual addresses, and leaves without breaking any. {@code load} measures,
 * {@code virtual} sets the machine up, {@code order} changes versions of services when a front-end says so. Uses {@code stream}, {@code service} and
 * {@code transport}; {@code manage} and the assembly use it.
 */
package org.tamanoir.node.cluster;
