package org.tamanoir.node.stream;

import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.StreamHandler;

/** A service, its handler for one stream, and what that handler has to do between packets. */
record OpenHandler(RunningService service, StreamHandler handler, HandlerTasks tasks) {
}
