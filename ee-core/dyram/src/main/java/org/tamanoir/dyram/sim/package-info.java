/**
 * A seeded discrete-event simulator of networks in which the real source, node and receiver run: for the tests, and for the figures of the
 * papers. What a message costs and where it is lost is decided here; what is said is decided by the classes that run in production.
 */
package org.tamanoir.dyram.sim;
