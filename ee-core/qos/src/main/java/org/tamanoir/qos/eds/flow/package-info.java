/**
 * RT-TP over UDP: a flow of datagrams that goes in the safest class in which it arrives in time. {@link org.tamanoir.qos.eds.flow.RealTimeSender} marks by what {@link
 * org.tamanoir.qos.eds.flow.RealTimeReceiver} reports.
 */
package org.tamanoir.qos.eds.flow;
