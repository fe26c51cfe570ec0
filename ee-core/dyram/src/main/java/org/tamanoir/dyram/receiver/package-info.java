/** The receiver: finds a session, takes part, keeps what it gets, asks for what it misses, and repairs for others when it is elected. */
package org.tamanoir.dyram.receiver;
