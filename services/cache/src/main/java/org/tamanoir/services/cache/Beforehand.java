package org.tamanoir.services.cache;

/** What is tried before an origin is asked: whether it takes connections at all, and whether a neighbour has what is wanted. */
final class Beforehand {
    private final HttpCache cache;
    private final Way way;
    private final Runnable schedule;

    Beforehand(HttpCache cache, Way way, Runnable schedule) {
        this.cache = cache;
        this.way = way;
        this.schedule = schedule;
    }

    /** Tries the origin, once for an exchange, which is decided about once more when that is known; false if nothing can be tried. */
    boolean probes(Exchange exchange) {
        if (exchange.probed) {
            return false;
        }
        exchange.probed = true;
        return waits(exchange, cache.probe(way.origin(), () -> again(exchange)));
    }

    /** Asks the neighbours, likewise; false if there are none, or it is nothing for them. */
    boolean asksNeighbours(Exchange exchange) {
        if (exchange.neighboursAsked) {
            return false;
        }
        exchange.neighboursAsked = true;
        return waits(exchange, cache.neighbours().ask(exchange, way.origin(), () -> again(exchange)));
    }

    private static boolean waits(Exchange exchange, boolean tries) {
        exchange.state = tries ? Exchange.State.FOLLOWS : exchange.state;
        return tries;
    }

    private void again(Exchange exchange) {
        way.execute((forward, back) -> {
            exchange.state = Exchange.State.NEW;
            schedule.run();
        });
    }
}
