package org.tamanoir.transfer.front;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.http.BodyTaker;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.front.FrontAccess.Right;
import org.tamanoir.transfer.part.WholeFile;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.web.Digests;

/** GET, HEAD and PUT. */
final class FileRequests {
    private static final int TRIES = 5;

    private final LocalStore files;
    private final FrontAccess access;
    private final Checksums checksums;
    private final LongConsumer moved;

    /** @param moved is told how many octets have come */
    FileRequests(LocalStore files, FrontAccess access, Checksums checksums, LongConsumer moved) {
        this.files = files;
        this.access = access;
        this.checksums = checksums;
        this.moved = moved;
    }

    /** GET, and HEAD, whose answer is the same without its body. */
    Response get(Request request) throws IOException, InterruptedException {
        String path = request.parameter("path");
        access.check(request, request.method().equals("HEAD") ? Right.LOOK : Right.READ, path);
        for (int tries = 1; ; tries++) {
            Resource resource = Resource.of(files, path).existing();
            resource.checkConditions(request);
            if (resource.isDirectory()) {
                return Response.text(String.join("", DavRequests.children(resource).map(child -> child.file().getFileName() + (child.isDirectory() ? "/\n" : "\n")).toList()));
            }
            FileChannel channel = open(resource);
            if (resource.isSame(Resource.of(files, path))) {
                return answer(request, resource, channel);
            }
            // Another file has got the name in this moment.
            channel.close();
            if (tries == TRIES) {
                throw new AnepException(ErrorCode.BUSY, "'/" + path + "' is being changed; try again");
            }
        }
    }

    private static FileChannel open(Resource resource) {
        try {
            return FileChannel.open(resource.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'/" + resource.path() + "' cannot be read: " + AnepException.reason(e), e);
        }
    }

    private Response answer(Request request, Resource resource, FileChannel channel) throws IOException, InterruptedException {
        boolean given = false;
        try {
            String want = request.header("Want-Digest").map(Digests::chosen).orElse(null);
            String wantRepr = request.header("Want-Repr-Digest").map(Digests::chosen).orElse(null);
            String digest = want == null ? null : Digests.digest(want, checksums.of(resource, want));
            String reprDigest = wantRepr == null ? null : Digests.reprDigest(wantRepr, checksums.of(resource, wantRepr));
            Response response = Response.file(channel, "application/octet-stream").etag(resource.tag()).header("Last-Modified", resource.lastModified());
            given = true;
            if (digest != null) {
                response.header("Digest", digest);
            }
            return reprDigest == null ? response : response.header("Repr-Digest", reprDigest);
        } finally {
            if (!given) {
                channel.close();
            }
        }
    }

    /** A file that is being put. Its octets are kept beside its place until all of them are there. */
    private final class Upload implements BodyTaker {
        private final Resource resource;
        private final String adler;
        private final String sha256;
        private final MessageDigest digest;
        private final WholeFile part;

        Upload(Resource resource, Map<String, List<String>> said) {
            this.resource = resource;
            this.adler = Digests.found(said, Digests.ADLER32);
            this.sha256 = Digests.found(said, Digests.SHA256);
            this.digest = sha256 == null ? null : FileDigest.sha256();
            this.part = WholeFile.open(resource.file());
        }

        @Override
        public void take(ByteBuffer piece) {
            if (digest != null) {
                digest.update(piece.duplicate());
            }
            moved.accept(piece.remaining());
            part.write(piece);
        }

        /** @throws HttpError 400 if it is not what its sender says */
        String commit() {
            String found = Adler.text(part.adler());
            if (adler != null && !adler.equals(found) || digest != null && !HexFormat.of().formatHex(digest.digest()).equals(sha256)) {
                throw new HttpError(400, ErrorCode.NOT_IDENTICAL, "what came is not what its checksum says; its ADLER32 is " + found);
            }
            part.commit();
            return found;
        }

        @Override
        public void close() {
            part.close();
        }
    }

    /** Before a PUT is let in. */
    BodyTaker begin(Request request) {
        String path = request.parameter("path");
        access.check(request, Right.CREATE, path);
        Resource resource = Resource.of(files, path);
        if (resource.exists()) {
            access.check(request, Right.MODIFY, path);
        }
        resource.checkConditions(request);
        if (resource.isDirectory() || request.path().endsWith("/")) {
            throw new HttpError(409, ErrorCode.BAD_REQUEST, "'/" + path + "' is a directory, or would be one");
        }
        if (request.header("Content-Range").isPresent()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a file is put as a whole, not in parts");
        }
        Path directory = resource.file().getParent();
        LocalStore.make(directory);
        long length = request.header("Content-Length").map(Long::parseLong).orElse(0L);
        if (directory.toFile().getUsableSpace() < length) {
            throw new AnepException(ErrorCode.STORAGE, "there is no room for " + length + " octets");
        }
        Map<String, List<String>> said = Map.of("Digest", request.header("Digest").stream().toList(), "Repr-Digest", request.header("Repr-Digest").stream().toList());
        return new Upload(resource, said);
    }

    /** When all of it has come. */
    Response put(Request request) {
        Upload upload = request.taker(Upload.class);
        String adler = upload.commit();
        Resource there = Resource.of(files, upload.resource.path()).existing();
        checksums.put(there, Digests.ADLER32, adler);
        Response response = upload.resource.exists() ? Response.empty() : Response.bytes(201, "text/plain", new byte[0]);
        return response.etag(there.tag()).header("Digest", Digests.digest(Digests.ADLER32, adler));
    }
}
