package org.tamanoir.client.gateway;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Looks names up by the machine's resolver, which blocks: on threads of its own, so that no event loop waits for it. */
final class Names implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int WAITING = 256;

    private final ThreadPoolExecutor threads;

    Names() {
        threads = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), new DefaultThreadFactory("tamanoir-names", true));
        threads.allowCoreThreadTimeOut(true);
    }

    /** One of the two is called, on the loop. */
    void lookUp(String name, EventLoop loop, Consumer<InetAddress[]> found, Consumer<AnepException> failed) {
        try {
            threads.execute(() -> {
                try {
                    InetAddress[] addresses = InetAddress.getAllByName(name);
                    loop.execute(() -> found.accept(addresses));
                } catch (UnknownHostException e) {
                    loop.execute(() -> failed.accept(new AnepException(ErrorCode.UNREACHABLE, "host '" + name + "' has no address", e)));
                }
            });
        } catch (RejectedExecutionException e) {
            failed.accept(new AnepException(ErrorCode.BUSY, "more than " + WAITING + " names wait to be looked up", e));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
