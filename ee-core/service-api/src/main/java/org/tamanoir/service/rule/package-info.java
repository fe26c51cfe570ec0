/**
 * Light services as rules: a match and actions in order. Read {@link org.tamanoir.service.rule.LightRule} first. Two engines run the same
 * rule, the kernel and the node, and a packet leaves both the same. {@link org.tamanoir.service.rule.Marker} is the
 * meter of a rule in Java, for services that meter by themselves.
 */
@org.osgi.annotation.versioning.Version("1.1.0")
package org.tamanoir.service.rule;
