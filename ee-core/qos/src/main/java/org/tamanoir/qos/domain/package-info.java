/**
 * A DiffServ domain for whoever has none: the classes of {@link org.tamanoir.qos.StandardClass} on an interface, by the kernel's own queues.
 *
 * <p>A file says what is wanted ({@link org.tamanoir.qos.domain.DomainFile}); that and what the kernel has are the same kind of thing
 * ({@link org.tamanoir.qos.domain.Queues}); the way from one to the other is a list of commands of {@code tc}
 * ({@link org.tamanoir.qos.domain.Plan}), and the way back is the same function with its arguments exchanged.
 */
package org.tamanoir.qos.domain;
