package org.tamanoir.service.testkit;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers;

/**
 * Keeps the workers that a service starts; the test is the program of each.
 *
 * <pre>{@code
 * Started ffmpeg = harness.workers().only();
 * assertThat(ffmpeg.program().arguments()).contains("scale=-2:360");
 * ffmpeg.says(smaller).exits(0);
 * }</pre>
 */
public final class RecordedWorkers implements Workers {
    private final List<Started> all = new ArrayList<>();
    private String problem;
    private int most = Integer.MAX_VALUE;
    private boolean closed;

    @Override
    public Worker start(Program program, WorkerHandler handler) {
        if (closed) {
            throw new AnepException(ErrorCode.STOPPING, "the service stops and starts no worker");
        }
        if (problem != null) {
            throw new AnepException(ErrorCode.NOT_PERMITTED, problem);
        }
        if (running() >= most) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "the service has " + most + " workers and may have no more");
        }
        Started started = new Started(program, handler);
        all.add(started);
        return started;
    }

    @Override
    public String problem(String program) {
        return problem;
    }

    /** Why no program can be started; null, as without this, if any can. */
    public RecordedWorkers problemIs(String text) {
        problem = text;
        return this;
    }

    /** How many may run at once; without this as many as the service likes. */
    public RecordedWorkers most(int workers) {
        most = workers;
        return this;
    }

    /** All that were started, in order. */
    public List<Started> all() {
        return List.copyOf(all);
    }

    /** The one that was started last. @throws ContractViolation if there was none */
    public Started last() {
        if (all.isEmpty()) {
            throw new ContractViolation("no worker was started");
        }
        return all.get(all.size() - 1);
    }

    /** The one that was started. @throws ContractViolation if it is not one */
    public Started only() {
        if (all.size() != 1) {
            throw new ContractViolation(all.size() + " workers were started");
        }
        return all.get(0);
    }

    /** How many run. */
    public long running() {
        return all.stream().filter(each -> !each.over).count();
    }

    /** The service is stopped: nobody is told any more. */
    void close() {
        closed = true;
        all.forEach(each -> each.over = true);
    }

    /** One worker: for the service, and for the test that is its program. */
    public static final class Started extends RecordedOctets implements Worker {
        private final Program program;
        private final WorkerHandler handler;

        private Started(Program program, WorkerHandler handler) {
            this.program = program;
            this.handler = handler;
        }

        /** What was started. */
        public Program program() {
            return program;
        }

        /** The octets that the service has written since this was asked last. */
        public byte[] given() {
            return taken();
        }

        /** It writes to its standard output. */
        public Started says(byte[] octets) {
            lend(octets, lent -> handler.onOctets(this, lent));
            return this;
        }

        /** It ends with a status. */
        public void exits(int status) {
            close(status == 0 ? null : new AnepException(ErrorCode.WORKER_FAILED, program.name() + " has ended with status " + status));
        }

        /** Whether it takes what is written; what it does not take is kept all the same. */
        public Started room(boolean takes) {
            roomIs(takes);
            return this;
        }

        @Override
        void hasRoom() {
            handler.onWritable(this);
        }

        private void close(AnepException why) {
            if (!over) {
                over = true;
                handler.onClosed(this, why);
            }
        }

        /** A megabyte if it takes nothing. */
        @Override
        public long waiting() {
            return isWritable() ? 0 : 1 << 20;
        }

        @Override
        public void abort() {
            close(new AnepException(ErrorCode.WORKER_FAILED, "the service has ended " + program.name()));
        }
    }
}
