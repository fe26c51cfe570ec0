/**
 * Measures every class on every watched segment (active grid paper, section 4.1).
 *
 * <p>Estimators: {@link org.tamanoir.services.qosmonitoring.Delays}, {@link org.tamanoir.services.qosmonitoring.LossWindow},
 * {@link org.tamanoir.services.qosmonitoring.Dispersion}, {@link org.tamanoir.services.qosmonitoring.MeasuredClass.TcpModel} and
 * {@link org.tamanoir.services.qosmonitoring.ThroughputWindow} compute; {@link org.tamanoir.services.qosmonitoring.MeasuredClass} holds
 * those of one class on one segment. {@link org.tamanoir.services.qosmonitoring.Monitor} says which trains to send and when, within
 * {@link org.tamanoir.services.qosmonitoring.ProbeBudget}. None of these does I/O or reads a clock;
 * {@link org.tamanoir.services.qosmonitoring.SegmentMonitoring} connects them with the node. Uses the service API.
 */
package org.tamanoir.services.qosmonitoring;
