/**
 * Which level runs what: the kernel, the event loop of a stream, or threads of a service's own. Explains every choice.
 *
 * <p>The rules in force are in {@link org.tamanoir.node.offload.RuleTable}; the kernel has the same ones while it can be used, and flows
 * for the streams that it carries. {@link org.tamanoir.node.offload.Offload} is what the other rooms of the node see of it.
 */
package org.tamanoir.node.offload;
