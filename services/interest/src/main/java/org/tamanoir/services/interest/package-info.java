/**
 * Brings events to those who want them, over a tree of nodes. {@link org.tamanoir.services.interest.Interest} is the service, {@link org.tamanoir.services.interest.Space}
 * one tree as one node sees it; what is decided is in {@code tree}, without I/O.
 */
package org.tamanoir.services.interest;
