package org.tamanoir.transfer.daemon;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.queue.LinkHistory;
import org.tamanoir.transfer.queue.Transfer;

/** Transfers and what was measured of links. What a call has kept is on the disk when it returns. For any thread. */
interface TransferStore extends AutoCloseable {
    /** @throws AnepException EE-813 if what is there cannot be read; EE-783, EE-785 of a database */
    static TransferStore open(DaemonOptions options) {
        return options.database() == null ? new TransferFile(options.data()) : new TransferDatabase(options.database(), options.password());
    }

    /** What names this queue among all. */
    String name();

    List<Transfer> transfers();

    Map<String, LinkHistory> links();

    /** Keeps transfers as they are now. @throws AnepException EE-813, EE-783, EE-784: what is there after a crash is then either this or what was before */
    void keep(Collection<Transfer> changed);

    /** @throws AnepException EE-813, EE-783, EE-784 */
    void forget(Collection<String> ids);

    /** @throws AnepException EE-813, EE-783, EE-784 */
    void keep(String link, LinkHistory history);

    /** Whether it can be written now. @throws AnepException EE-783 */
    void check();

    @Override
    void close();
}
