package org.tamanoir.wasm.image;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;

/**
 * Images of modules: those in use, those in the store, and those that have to be made first. Two are made at once at most, and none twice at
 * the same time. A module that was refused is not tried again. Any thread.
 */
public final class Images {
    private static final int MOST_COMPILERS = 2;
    private static final int MOST_REFUSED = 1000;
    /** Octets of images on the disk. */
    private static final long MOST_STORED = 256L << 20;

    private final ImageStore store;
    private final Semaphore compilers = new Semaphore(MOST_COMPILERS);
    private final Map<String, CompletableFuture<Image>> making = new HashMap<>();
    private final Map<String, WeakReference<Image>> inUse = new HashMap<>();
    private final Map<String, AnepException> refused = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AnepException> eldest) {
            return size() > MOST_REFUSED;
        }
    };
    private final AtomicLong compiled = new AtomicLong();

    /** @param directory for compiled modules; whatever else is in it is deleted */
    public Images(Path directory) throws IOException {
        this.store = new ImageStore(directory, MOST_STORED);
    }

    /** How many modules have been compiled. */
    public long compiled() {
        return compiled.get();
    }

    /**
     * The image of a module; waits until it is made.
     *
     * @throws AnepException EE-650 or EE-658 if it cannot be made
     */
    public Image of(WasmModule module, WasmLimits limits) {
        String key = module.sha256();
        CompletableFuture<Image> mine = new CompletableFuture<>();
        CompletableFuture<Image> other;
        synchronized (this) {
            WeakReference<Image> known = inUse.get(key);
            Image image = known == null ? null : known.get();
            if (image != null) {
                return image;
            }
            if (refused.containsKey(key)) {
                AnepException before = refused.get(key);
                throw new AnepException(before.code(), before.text());
            }
            other = making.putIfAbsent(key, mine);
        }
        if (other != null) {
            return await(other);
        }
        try {
            Image image = make(module, limits);
            synchronized (this) {
                inUse.values().removeIf(each -> each.get() == null);
                inUse.put(key, new WeakReference<>(image));
            }
            mine.complete(image);
            return image;
        } catch (Throwable e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            synchronized (this) {
                making.remove(key);
            }
        }
    }

    private static Image await(CompletableFuture<Image> other) {
        try {
            return other.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof AnepException known) {
                throw new AnepException(known.code(), known.text(), known);
            }
            throw e;
        }
    }

    private Image make(WasmModule module, WasmLimits limits) {
        Map<String, byte[]> entries = store.read(module.sha256());
        return new Image(entries != null ? entries : compile(module, limits));
    }

    private Map<String, byte[]> compile(WasmModule module, WasmLimits limits) {
        try {
            compilers.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Compilation.refused("the node has stopped waiting", e);
        }
        try {
            Path made = store.temporary(".image");
            try {
                CompilerProcess.compile(module.octets(), store, made, limits);
                Map<String, byte[]> entries = Files.size(made) > CompilerMain.MOST_OCTETS ? null : ImageFile.read(Files.readAllBytes(made));
                if (entries == null) {
                    throw Compilation.refused("the compiler has made no image", null);
                }
                compiled.incrementAndGet();
                store.keep(module.sha256(), made);
                return entries;
            } finally {
                Files.deleteIfExists(made);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the compiled module cannot be kept: " + AnepException.reason(e), e);
        } catch (AnepException e) {
            synchronized (this) {
                if (!Thread.currentThread().isInterrupted() && !(e instanceof CompilerProcess.NotYet)) {
                    refused.put(module.sha256(), e);
                }
            }
            throw e;
        } finally {
            compilers.release();
        }
    }
}
