package org.tamanoir.services.qosinus;

import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosMonitoring;

/** The other three parts of QoSinus, whichever versions of them are current. */
record Partners(Partner<QosMonitoring> monitoring, Partner<QosDecision> decision, Partner<QosEnforcement> enforcement) {
    static Partners of(ServiceContext service) {
        return new Partners(service.partner(QosMonitoring.TYPE_ID, QosMonitoring.class),
                service.partner(QosDecision.TYPE_ID, QosDecision.class), service.partner(QosEnforcement.TYPE_ID, QosEnforcement.class));
    }
}
