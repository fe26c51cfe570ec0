/**
 * {@code tamanoir bench qos}: what the papers measured of classes of service, in the laboratory. A part is a class of its own; {@link
 * org.tamanoir.benchmarks.qos.Parts} lists them.
 */
package org.tamanoir.benchmarks.qos;
