package org.tamanoir.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.transfer.Content.Run;

/** Contents whose zeros are holes. */
public final class Sparse {
    private static final int SMALLEST = 20;

    private Sparse() {
    }

    public static Content of(ByteBuffer octets) {
        ByteBuffer all = octets.slice();
        List<Run> runs = new ArrayList<>();
        int from = 0;
        for (int at = 0; at < all.limit();) {
            int end = at;
            while (end < all.limit() && all.get(end) == 0) {
                end++;
            }
            if (end - at >= SMALLEST) {
                if (at > from) {
                    runs.add(new Run(from, at - from));
                }
                from = end;
            }
            at = Math.max(end, at + 1);
        }
        if (from < all.limit()) {
            runs.add(new Run(from, all.limit() - from));
        }
        ByteBuffer body = ByteBuffer.allocate(all.limit() + 8 + 8 * runs.size());
        Content.head(all.limit(), runs, body);
        runs.forEach(run -> body.put(all.slice(run.offset(), run.length())));
        return Content.sparse(body.flip());
    }
}
