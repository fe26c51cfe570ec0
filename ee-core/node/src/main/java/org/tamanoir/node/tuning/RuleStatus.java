package org.tamanoir.node.tuning;

import org.tamanoir.node.tuning.Trial.Medians;

/**
 * What a node says of a rule.
 *
 * @param legs    which legs it is for
 * @param tuning  what they get
 * @param state   {@code probation}, {@code confirmed}, {@code taken-back}, {@code fixed} or {@code refused}
 * @param tuned   legs that had it so far
 * @param untuned legs that were as before, for comparison or because it was not in force
 * @param with    what is known of legs with it; null for a rule that has nothing to prove
 * @param without the same of legs as before
 * @param reason  why it is in this state; null if there is nothing to say
 */
public record RuleStatus(String name, String legs, String tuning, String state, long tuned, long untuned, Medians with, Medians without, String reason) {
}
