/**
 * What the author of a service sees. Read {@link org.tamanoir.service.ActiveService} first, then
 * {@link org.tamanoir.service.StreamHandler}; the rest is what those two are handed.
 *
 * <p>A service is an OSGi bundle with one Declarative Services component of type {@code ActiveService} and the capability
 * {@code tamanoir.service} in its manifest. It may use this package, {@code org.tamanoir.anep}, Netty's buffers and SLF4J, and whatever
 * it carries inside its own bundle. It opens no socket and starts no thread.
 */
@org.osgi.annotation.versioning.Version("1.10.0")
package org.tamanoir.service;
