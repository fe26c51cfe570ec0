/**
 * Measures as the plan of an observatory says, and sends it what comes out: {@code Sessions} with probes, {@code Slots} with flows.
 * {@code Uplink} speaks with the observatory, {@code SampleBuffer} keeps what it has not acknowledged.
 */
package org.tamanoir.services.theodolite;
