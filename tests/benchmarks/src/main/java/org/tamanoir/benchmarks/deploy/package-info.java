/**
 * {@code bench deploy}: how long a stream waits for a service that its node does not run yet, by where the service comes from. On loopback,
 * with new processes and folders in each round; needs no root.
 */
package org.tamanoir.benchmarks.deploy;
