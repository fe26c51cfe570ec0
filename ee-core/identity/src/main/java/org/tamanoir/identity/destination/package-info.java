/** Where somebody may go: destinations as they are named, and rules of which of them are allowed. For gateways, and for services of a node. No I/O. */
package org.tamanoir.identity.destination;
