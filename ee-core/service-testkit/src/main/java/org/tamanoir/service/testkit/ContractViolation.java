package org.tamanoir.service.testkit;

/** The service under test broke a rule of the service API; the message names the rule. */
public final class ContractViolation extends AssertionError {
    ContractViolation(String rule) {
        super(rule);
    }
}
