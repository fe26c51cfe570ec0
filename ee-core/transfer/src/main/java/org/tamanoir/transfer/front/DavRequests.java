package org.tamanoir.transfer.front;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.client.file.FileName;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.transfer.front.FrontAccess.Right;
import org.tamanoir.transfer.store.LocalStore;

/** What of WebDAV (RFC 4918) grid clients use: to look, to make directories, to remove and to rename. */
final class DavRequests {
    static final String METHODS = "OPTIONS, GET, HEAD, PUT, DELETE, MKCOL, MOVE, COPY, PROPFIND";
    private static final int MULTI_STATUS = 207;
    private static final int CONFLICT = 409;
    private static final int FORBIDDEN = 403;
    /** Of one directory: some 20 MB of XML. */
    private static final int MOST_CHILDREN = 50_000;

    private final LocalStore files;
    private final FrontAccess access;

    DavRequests(LocalStore files, FrontAccess access) {
        this.files = files;
        this.access = access;
    }

    Response options(Request request) {
        return Response.bytes(200, "text/plain", new byte[0]).header("DAV", "1").header("Allow", METHODS).header("Accept-Ranges", "bytes");
    }

    /** Files and directories in a directory, by name; those alone that may be named. @throws AnepException EE-405 if they are too many */
    static Stream<Resource> children(Resource directory) throws IOException {
        List<Resource> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(directory.file())) {
            for (Path file : (Iterable<Path>) all.filter(each -> FileName.fault(each.getFileName().toString()) == null)::iterator) {
                if (found.size() == MOST_CHILDREN) {
                    throw new AnepException(ErrorCode.TOO_LARGE, "'/" + directory.path() + "' has more than " + MOST_CHILDREN + " files");
                }
                String name = file.getFileName().toString();
                found.add(new Resource(directory.path().isEmpty() ? name : directory.path() + "/" + name, file, Resource.attributes(file)));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return found.stream().filter(Resource::exists).sorted((a, b) -> a.path().compareTo(b.path()));
    }

    /** PROPFIND: the same properties for everybody, whatever is asked for. */
    Response find(Request request) throws IOException {
        String path = request.parameter("path");
        access.check(request, Right.LOOK, path);
        String depth = request.header("Depth").orElse("1").strip();
        if (!depth.equals("0") && !depth.equals("1")) {
            throw new HttpError(FORBIDDEN, ErrorCode.BAD_REQUEST, "only one level is shown: Depth: 0 or 1");
        }
        Resource resource = Resource.of(files, path).existing();
        Stream<Resource> shown = depth.equals("1") && resource.isDirectory() ? Stream.concat(Stream.of(resource), children(resource)) : Stream.of(resource);
        String xml = shown.map(DavRequests::properties).collect(Collectors.joining("", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n", "</D:multistatus>\n"));
        return Response.bytes(MULTI_STATUS, "application/xml; charset=utf-8", xml.getBytes(StandardCharsets.UTF_8));
    }

    private static String properties(Resource resource) {
        String href = Stream.of(resource.path().split("/")).map(HttpFetch::segment).collect(Collectors.joining("/", "/", resource.isDirectory() && !resource.path().isEmpty() ? "/" : ""));
        return "<D:response><D:href>" + href + "</D:href><D:propstat><D:prop>"
                + (resource.isDirectory() ? "<D:resourcetype><D:collection/></D:resourcetype>"
                        : "<D:resourcetype/><D:getcontentlength>" + resource.attributes().size() + "</D:getcontentlength><D:getetag>\"" + resource.tag() + "\"</D:getetag>")
                + "<D:getlastmodified>" + resource.lastModified() + "</D:getlastmodified><D:creationdate>" + resource.attributes().creationTime().toInstant() + "</D:creationdate>"
                + "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n";
    }

    Response make(Request request) throws IOException {
        String path = request.parameter("path");
        access.check(request, Right.CREATE, path);
        Resource resource = Resource.of(files, path);
        if (request.body().length > 0) {
            throw new HttpError(415, ErrorCode.BAD_REQUEST, "a directory is made without a body");
        }
        if (resource.exists()) {
            throw new HttpError(405, ErrorCode.BAD_REQUEST, "'/" + path + "' is there already");
        }
        try {
            Files.createDirectory(resource.file());
            Durable.forceNames(resource.file().getParent());
        } catch (FileAlreadyExistsException e) {
            throw new HttpError(405, ErrorCode.BAD_REQUEST, "'/" + path + "' is there already");
        } catch (IOException e) {
            throw Files.isDirectory(resource.file().getParent()) ? storage(path, e) : new HttpError(CONFLICT, ErrorCode.NOT_FOUND, "the directory around '/" + path + "' is not there");
        }
        return Response.bytes(201, "text/plain", new byte[0]);
    }

    /** DELETE of a file, or of a directory with nothing in it: whoever wants to lose a tree says so file by file, as grid clients do. */
    Response remove(Request request) {
        String path = request.parameter("path");
        access.check(request, Right.MODIFY, path);
        Resource resource = changeable(path).existing();
        resource.checkConditions(request);
        try {
            Files.delete(resource.file());
            Durable.forceNames(resource.file().getParent());
        } catch (DirectoryNotEmptyException e) {
            throw new HttpError(CONFLICT, ErrorCode.BAD_REQUEST, "'/" + path + "' has files in it");
        } catch (IOException e) {
            throw storage(path, e);
        }
        return Response.empty();
    }

    Response move(Request request) {
        String path = request.parameter("path");
        String to = Resource.path(request.header("Destination").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "MOVE needs a Destination")));
        access.check(request, Right.MODIFY, path);
        access.check(request, Right.CREATE, to);
        Resource resource = changeable(path).existing();
        Resource target = changeable(to);
        if (target.exists()) {
            access.check(request, Right.MODIFY, to);
            if (request.header("Overwrite").filter("F"::equalsIgnoreCase).isPresent()) {
                throw new HttpError(412, ErrorCode.CHANGED_MEANWHILE, "'/" + to + "' is there already");
            }
        }
        if (target.isDirectory() || (to + "/").startsWith(path + "/") || !Files.isDirectory(target.file().getParent())) {
            throw new HttpError(CONFLICT, ErrorCode.BAD_REQUEST, "'/" + to + "' is a directory, or there is none around it");
        }
        try {
            Durable.rename(resource.file(), target.file());
            if (!Objects.equals(resource.file().getParent(), target.file().getParent())) {
                Durable.forceNames(resource.file().getParent());
            }
        } catch (IOException e) {
            throw storage(to, e);
        }
        return target.exists() ? Response.empty() : Response.bytes(201, "text/plain", new byte[0]);
    }

    private Resource changeable(String path) {
        if (path.isEmpty()) {
            throw new HttpError(FORBIDDEN, ErrorCode.BAD_REQUEST, "the directory that is served stays as it is");
        }
        return Resource.of(files, path);
    }

    private static AnepException storage(String path, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "'/" + path + "' cannot be changed: " + AnepException.reason(e), e);
    }
}
