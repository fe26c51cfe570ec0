package org.tamanoir.node.stream;

import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.StreamHandler;

/** A service and its handler for one stream. */
record OpenHandler(RunningService service, StreamHandler handler) {
}
