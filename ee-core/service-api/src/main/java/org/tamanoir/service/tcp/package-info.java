/**
 * What the node's kernel says of the TCP connections of streams, and why a stream is no faster. The node looks at them anyway, as often as its
 * operator allows; a service that follows is told what was seen.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.tcp;
