/**
 * The promises of the whole system, one class each, on real sockets. {@link org.tamanoir.tests.Grid} sets the scene,
 * {@link org.tamanoir.tests.AnepPeer} speaks octet by octet what a well-behaved client never would.
 */
package org.tamanoir.tests;
