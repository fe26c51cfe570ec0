/**
 * QoS sessions for applications: {@link org.tamanoir.client.qos.QosClient#open} says what a flow needs, the code of the session goes into
 * the stream's request ({@link org.tamanoir.client.StreamRequest#qosSession}). {@code docs/qos.md} has the whole.
 */
package org.tamanoir.client.qos;
