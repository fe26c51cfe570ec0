package org.tamanoir.repository.mirror;

/** What a mirror does next. */
sealed interface Action {
    /** Ask the upstream what it has. */
    record Look() implements Action {
    }

    /** Get a bundle, or the rest of it, and publish it here. */
    record Fetch(Offer offer) implements Action {
    }

    /** Publish a version again that was retired here: its bundle is at hand. */
    record Republish(Offer offer) implements Action {
    }

    /** Take a version out of the index. */
    record Retire(Offer offer) implements Action {
    }

    /** Nothing, for so many milliseconds. */
    record Rest(long millis) implements Action {
    }
}
