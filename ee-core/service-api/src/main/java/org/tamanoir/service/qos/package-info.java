/**
 * Quality of service in parts that can be replaced one by one (active grid paper, section 4.1): the service {@code qosinus} programs
 * sessions and asks three partners, each an interface here and a bundle of its own: {@link org.tamanoir.service.qos.QosMonitoring} measures
 * every class on every segment, {@link org.tamanoir.service.qos.QosDecision} chooses the class of a session,
 * {@link org.tamanoir.service.qos.QosEnforcement} allocates, polices, marks and shapes.
 */
@org.osgi.annotation.versioning.Version("1.2.0")
package org.tamanoir.service.qos;
