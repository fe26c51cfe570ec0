/**
 * Who may open which streams: the access policy of the operator, asked once a stream. It knows users by tokens, nodes and programs by certificates, and the rest
 * by address. {@code docs/access.md} is the manual.
 */
package org.tamanoir.node.access;
