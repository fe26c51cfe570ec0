/**
 * Programs that a service has the operator's leave to run, each in a sandbox of its own, with octets in and octets out.
 * {@link org.tamanoir.service.worker.Workers} is where to begin.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.worker;
