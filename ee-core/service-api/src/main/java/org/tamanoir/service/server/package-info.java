/**
 * Speaking with a server that the operator has named in the service's options: a document that is kept up to date, and messages that are
 * sent until they are answered. A service says what; the node has the connections, its certificate, the token, and the patience.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.server;
