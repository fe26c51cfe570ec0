/** What a director is made of, whichever it is: takes a plan, makes it so, and says how it is. {@code ipvs} and {@code nft} are the two there are. */
package org.tamanoir.cluster.engine;
