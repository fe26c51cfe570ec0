package org.tamanoir.repository.mirror;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Read;
import org.tamanoir.repository.mirror.Index.Listing;
import org.tamanoir.repository.mirror.Index.Offer;

/** The repository that is mirrored. A bundle is asked for by its hash: an index cannot send a mirror anywhere else. */
final class Upstream {
    /** An index of 4,096 versions with headers like those of the services here has a third of it. */
    private static final long INDEX_MOST = 32 << 20;

    private final HttpFetch http;
    private final HttpFetch transfers;
    private String etag;

    Upstream(MirrorSettings settings) {
        http = HttpFetch.of(settings.upstream(), ErrorCode.REPOSITORY_UNREACHABLE);
        transfers = http.timeout(settings.transfer());
    }

    /**
     * What it has, if that has changed since the last call that succeeded.
     *
     * @throws AnepException EE-302 if it does not answer, EE-304 if its answer makes no sense, EE-405 if it has no end
     */
    Optional<Listing> look() {
        Read<List<Offer>> index = http.readIfChanged("/index.xml", etag, INDEX_MOST, Index::read);
        if (index.value().isEmpty()) {
            return Optional.empty();
        }
        Listing listing = new Listing(index.value().get(), retired());
        etag = index.etag();
        return Optional.of(listing);
    }

    /** An upstream that only has an index, such as the code server of a node, retires nothing. */
    private List<Offer> retired() {
        try {
            return Index.retired(http.json("/services"));
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    /**
     * Fetches what a file lacks of a bundle.
     *
     * @throws AnepException whatever the upstream says, EE-302 if it breaks off, EE-405 if it sends more than it said, EE-409 for the disk
     */
    long fetch(Offer offer, Path part) {
        return transfers.resume("/bundles/" + offer.sha256() + ".jar", part, '"' + offer.sha256() + '"', offer.size());
    }
}
