package org.tamanoir.services.cache.rules;

import java.util.Locale;

/** Why an answer is not kept, or a request is left to the origin. */
public enum Reason {
    METHOD("only GET and HEAD are answered from the cache"),
    BODY("the request has a body"),
    EXPECT("the request expects something of the origin, or asks for another protocol"),
    RANGES("it asks for several ranges, or for another unit than bytes"),
    PRECONDITION("it insists on another version than the one that is kept (If-Match, If-Unmodified-Since)"),
    REQUEST_NO_STORE("the request says no-store"),
    HEAD("a HEAD of what is not kept"),
    NO_STORE("the answer says no-store"),
    PRIVATE("the answer says private"),
    SET_COOKIE("the answer sets a cookie"),
    VARY("the answer says Vary: *, or names too many fields"),
    STATUS("an answer with this status is not kept"),
    PARTIAL("a part of something without a strong ETag, or without its whole length"),
    NO_LENGTH("only the end of the connection ends the answer"),
    TOO_LARGE("it is larger than an object may be"),
    NO_VALIDATOR("it is stale at once, and cannot be asked for again by ETag or Last-Modified"),
    SHORT("the origin ended before the end of the answer"),
    CHANGED("the origin has another length or another ETag than it said before"),
    LOST("it was given up: whoever fetched it is gone, and it has no strong ETag"),
    NOT_UNDERSTOOD("something else than HTTP/1.1, or what two readers could read in two ways");

    private final String says;

    Reason(String says) {
        this.says = says;
    }

    /** As in labels of metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A sentence for an operator. */
    public String says() {
        return says;
    }
}
