/**
 * Keeps flows to what they may send. {@link org.tamanoir.services.qosenforcement.Shares} divides the capacity of classes between sessions,
 * {@link org.tamanoir.services.qosenforcement.FlowConditioner} treats the packets of a stream, {@link org.tamanoir.services.qosenforcement.Enforcement.Rules}
 * says the same as a rule for the kernel. What a session may send in a class is metered by a marker that all its streams share; everything else in a
 * class comes out of one bucket that is filled by what is not allocated. So the sum is within the capacity, whatever the flows do.
 */
package org.tamanoir.services.qosenforcement;
