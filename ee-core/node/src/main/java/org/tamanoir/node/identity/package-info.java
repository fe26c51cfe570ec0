/** Who it is, and what they may do: the one account of identity. Knows addresses and names, not sockets. */
package org.tamanoir.node.identity;
