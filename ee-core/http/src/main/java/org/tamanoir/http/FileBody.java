package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A body that goes into a file as it arrives. Workers write it, one piece at a time, so that a slow disk slows the sender. */
final class FileBody implements BodySink {
    private static final Logger LOG = LoggerFactory.getLogger(FileBody.class);

    private final Path directory;
    private final Executor workers;
    private Path file;
    private FileChannel channel;
    private boolean discarded;

    FileBody(Path directory, Executor workers) {
        this.directory = directory;
        this.workers = workers;
    }

    @Override
    public void accept(ByteBuf piece, Consumer<AnepException> done) {
        try {
            workers.execute(() -> done.accept(write(piece)));
        } catch (RejectedExecutionException e) {
            piece.release();
            done.accept(Refusal.tooManyRequests());
        }
    }

    private synchronized AnepException write(ByteBuf piece) {
        try {
            open();
            while (!discarded && piece.isReadable()) {
                piece.readBytes(channel, piece.readableBytes());
            }
            return null;
        } catch (IOException e) {
            return storage(e);
        } finally {
            piece.release();
        }
    }

    private void open() throws IOException {
        if (channel == null && !discarded) {
            file = Files.createTempFile(directory, "upload-", ".part");
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
        }
    }

    private static AnepException storage(IOException e) {
        LOG.warn("an upload cannot be written", e);
        return new AnepException(ErrorCode.STORAGE, "the upload cannot be written to the disk", e);
    }

    @Override
    public synchronized void finish(Request request) {
        try {
            open();
            if (discarded) {
                throw new IOException("the upload was given up");
            }
            channel.close();
            request.setFile(file);
        } catch (IOException e) {
            throw storage(e);
        }
    }

    @Override
    public synchronized void discard() {
        discarded = true;
        if (channel == null) {
            return;
        }
        try {
            channel.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("an upload's file cannot be removed: {}", file, e);
        }
    }
}
