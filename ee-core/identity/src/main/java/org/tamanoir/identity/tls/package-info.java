/** TLS on Netty's connections, for nodes and for the programs that connect to them. Uses {@code identity}. */
package org.tamanoir.identity.tls;
