package org.tamanoir.http;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;

/** What a worker does for one request: hands it its body, calls the handler, and makes a response of whatever comes out. */
final class Work {
    private static final Logger LOG = LoggerFactory.getLogger(Work.class);

    private Work() {
    }

    static Response answer(Request request, BodySink body) {
        try {
            body.finish(request);
            return request.route().handler().handle(request);
        } catch (AnepException e) {
            return HttpError.response(e);
        } catch (Throwable e) {
            LOG.error("{} {} failed", request.method(), request.path(), e);
            return HttpError.response(Refusal.defect());
        } finally {
            body.discard();
        }
    }
}
