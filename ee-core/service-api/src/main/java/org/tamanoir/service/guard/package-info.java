/**
 * Stops service code that does not return, and service code that would end the node. Nothing here is for services to call or to import: a
 * node weaves the calls in, and its framework finds these classes by boot delegation. Whoever calls them by hand stops only the thread that
 * it is on.
 */
package org.tamanoir.service.guard;
