/**
 * Traffic for measurements: streams of ANEP packets that cost their sender almost nothing, a sink that counts them, and round trips.
 *
 * <p>Sender and sink are processes of their own ({@link org.tamanoir.benchmarks.load.LoadMain}), each in the namespace where it belongs;
 * {@link org.tamanoir.benchmarks.load.LoadSender} and {@link org.tamanoir.benchmarks.load.LoadSink} are how a bench speaks to them: one
 * line a request, one line an answer. Blocking NIO, the wire format of {@code org.tamanoir.anep}, and nothing of the node.
 */
package org.tamanoir.benchmarks.load;
