package org.tamanoir.repository.mirror;

import org.tamanoir.anep.AnepException;

/**
 * A version that the upstream offers and the mirror does not take.
 *
 * @param name of the service
 * @param version as OSGi writes it
 * @param sha256 of the bundle that is offered
 * @param code EE-nnn
 * @param message in words
 */
public record Trouble(String name, String version, String sha256, String code, String message) {
    static Trouble of(Offer offer, AnepException reason) {
        return new Trouble(offer.name(), offer.version(), offer.sha256(), reason.code().toString(), reason.text());
    }
}
