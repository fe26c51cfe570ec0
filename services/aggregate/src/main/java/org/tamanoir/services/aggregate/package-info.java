/**
 * Combines what many sources send toward one destination, in the nodes of the tree on the way: the network-supported maximum of <i>Designing
 * and Evaluating An Active Grid Architecture</i> (2003), section 2.2 and figure 2, with minimum, sum and count beside it.
 *
 * <p>{@link org.tamanoir.services.aggregate.Reading} is the payload, {@link org.tamanoir.services.aggregate.Rounds} the core without
 * input and output, {@link org.tamanoir.services.aggregate.Group} ties it to streams.
 */
package org.tamanoir.services.aggregate;
