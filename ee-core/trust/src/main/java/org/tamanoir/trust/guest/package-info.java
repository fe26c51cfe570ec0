/**
 * What publishers may do whom nobody trusts: which names, which Type IDs and which kind of code are for guests alone. One rule for repositories and nodes.
 *
 * <p>May use {@code org.tamanoir.trust} and {@code org.tamanoir.anep}.
 */
package org.tamanoir.trust.guest;
