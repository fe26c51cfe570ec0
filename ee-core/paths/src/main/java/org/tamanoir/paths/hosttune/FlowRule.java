package org.tamanoir.paths.hosttune;

/**
 * One rule.
 *
 * @param name      for messages and reports
 * @param match     which flows
 * @param treatment what they get
 */
public record FlowRule(String name, FlowMatch match, Treatment treatment) {
}
