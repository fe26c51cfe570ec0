/**
 * What a client of TUF believes: section 5 of the specification as classes without I/O, clock or thread.
 *
 * <p>{@link org.tamanoir.tuf.client.TrustedSet} is what is believed; it takes octets and the time, and gives another set or the reason why
 * not. {@link org.tamanoir.tuf.client.Update} says which file is to be asked for next. {@link org.tamanoir.tuf.client.Catalogue} answers what
 * the targets are. Uses {@code org.tamanoir.tuf.format}.
 */
package org.tamanoir.tuf.client;
