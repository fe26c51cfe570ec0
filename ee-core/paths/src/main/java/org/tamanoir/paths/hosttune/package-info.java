/**
 * Which TCP flows of this host are tuned, and to what: the rules of {@code tamanoir host tune run}, without I/O. {@link org.tamanoir.paths.hosttune.FlowRules} holds
 * them against each other and against what the operator allows, and finds the rule of a flow.
 */
package org.tamanoir.paths.hosttune;
