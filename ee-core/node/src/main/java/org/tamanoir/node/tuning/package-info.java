/**
 * Rules for how the kernel treats the TCP connections of streams, and whether they do good: {@code TuneRule} and {@code LegMatch} decide which rule a leg
 * has, {@code Trial} compares legs with a rule to legs without, from what {@code LegSample} makes of TCP_INFO. These do no I/O; {@code TunedLeg} does.
 * Uses {@code transport}.
 */
package org.tamanoir.node.tuning;
