package org.tamanoir.paths.file;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Plan;

/** Ends the reading of a file as soon as it asks for more sessions than a plan may have: a short one can name the same large group a thousand times. */
final class SessionCount {
    private long sessions;

    void add(Plan.Task task) {
        sessions += (long) task.group().pairs().size() * task.classes().size();
        if (sessions > Plan.MOST_SESSIONS) {
            throw new AnepException(ErrorCode.BAD_PLAN, "the plan has " + sessions + " sessions or more, and at most " + Plan.MOST_SESSIONS
                    + " are run: measure between fewer theodolites, or from some to some instead of in a mesh");
        }
    }
}
