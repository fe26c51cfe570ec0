/** {@code tamanoir bench qos}: what the papers measured of classes of service, in the laboratory. Each part has a package of its own below. */
package org.tamanoir.benchmarks.qos;
