/**
 * Stops service code that does not return, and service code that would end the node. Nothing here is for services to call: a node
 * weaves the calls in.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.guard;
