package org.tamanoir.node.routing.told;

import java.util.Map;

/**
 * What is known of a neighbour.
 *
 * @param isUp     whether both nodes hear each other
 * @param told     prefixes to which the neighbour may know a way through this node
 * @param believed prefixes to which it told a way that was believed
 * @param in       messages from it
 * @param out      messages to it
 * @param refused  messages and prefixes that were not taken, by the reason
 */
public record ToldStatus(boolean isUp, int told, int believed, long in, long out, Map<ToldRefusal, Long> refused) {
}
