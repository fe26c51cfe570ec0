package org.tamanoir.client.gateway;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.ErrorCode;

/** When the log says that another connection has failed: at most once a second for each code, and then for how many. */
final class FailureLog {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What {@link #add} returns where nothing is to be said. */
    static final long SILENT = -1;

    private final Map<ErrorCode, Kind> kinds = new EnumMap<>(ErrorCode.class);

    private static final class Kind {
        private long said;
        private long unsaid;
    }

    /** One more. @return how many before this one the log has not told, or {@link #SILENT} */
    synchronized long add(ErrorCode code, long nanos) {
        Kind kind = kinds.get(code);
        if (kind == null) {
            kind = new Kind();
            kinds.put(code, kind);
        } else if (nanos - kind.said < PERIOD_NANOS) {
            kind.unsaid++;
            return SILENT;
        }
        long before = kind.unsaid;
        kind.said = nanos;
        kind.unsaid = 0;
        return before;
    }
}
