package org.tamanoir.tuf.testing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.client.Update;

/** A client whose server is a map of files. It remembers what it knows. */
public final class TestClient {
    private final List<String> asked = new ArrayList<>();
    private TrustedSet trusted;
    private Catalogue catalogue;

    public TestClient(byte[] root) {
        trusted = TrustedSet.of(root);
    }

    /** @throws AnepException what is wrong with the files */
    public Catalogue update(Map<String, byte[]> files, Instant now) {
        Update update = new Update(trusted, now);
        asked.clear();
        catalogue = null;
        try {
            for (Update.Ask ask = update.next(); ask != null; ask = update.next()) {
                asked.add(ask.file());
                byte[] octets = files.get(ask.file());
                if (octets == null) {
                    update.missing();
                } else if (octets.length > ask.most()) {
                    // As HttpFetch does.
                    update.unusable(new AnepException(ErrorCode.TOO_LARGE, "more than " + ask.most() + " octets"));
                } else {
                    update.got(octets);
                }
            }
        } finally {
            trusted = update.trusted();
        }
        catalogue = update.catalogue();
        return catalogue;
    }

    /** The code of what is wrong with the files; null for nothing. */
    public ErrorCode refusal(Map<String, byte[]> files, Instant now) {
        try {
            update(files, now);
            return null;
        } catch (AnepException e) {
            return e.code();
        }
    }

    public TrustedSet trusted() {
        return trusted;
    }

    /** Null after an update that failed. */
    public Catalogue catalogue() {
        return catalogue;
    }

    /** The files that the last update asked for. */
    public List<String> asked() {
        return asked;
    }
}
