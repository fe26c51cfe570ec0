/**
 * Which level runs what: the kernel, the event loop of a stream, or threads of a service's own. Explains every choice.
 *
 * <p>This release has no kernel helper, so light services run in user space.
 */
package org.tamanoir.node.offload;
