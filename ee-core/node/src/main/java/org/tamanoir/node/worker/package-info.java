/**
 * Programs that services run beside the node ({@link org.tamanoir.service.worker.Workers}): which, and what they may take, is the operator's to say. What keeps them
 * from everything else is bubblewrap; see {@link org.tamanoir.node.worker.Sandbox}.
 */
package org.tamanoir.node.worker;
