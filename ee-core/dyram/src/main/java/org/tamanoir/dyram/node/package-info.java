/**
 * The node: hands announcements on, lets receivers join by way of it, and runs a {@link org.tamanoir.dyram.hop.Hop} for each session.
 */
package org.tamanoir.dyram.node;
