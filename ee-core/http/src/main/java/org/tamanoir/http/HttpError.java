package org.tamanoir.http;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** An error with an HTTP status of its own, and the status that belongs to each code where none is given. */
public final class HttpError extends AnepException {
    private final int status;
    private final String allow;
    private final int retryAfter;

    public HttpError(int status, ErrorCode code, String message) {
        this(status, code, message, null, retryAfter(code), null);
    }

    private HttpError(int status, ErrorCode code, String message, String allow, int retryAfter, Throwable cause) {
        super(code, message, cause);
        this.status = status;
        this.allow = allow;
        this.retryAfter = retryAfter;
    }

    /** One that goes away by itself. @param seconds after which it makes sense to ask again, 1 or more */
    public static HttpError later(ErrorCode code, String message, int seconds, Throwable cause) {
        return new HttpError(statusOf(code), code, message, null, seconds, cause);
    }

    /** 405 with the methods that the path has, such as {@code GET, PUT}. */
    static HttpError methodNotAllowed(String allow) {
        return new HttpError(405, ErrorCode.BAD_REQUEST, "this path takes " + allow, allow, 0, null);
    }

    /** The status of any error. */
    static int statusOf(AnepException error) {
        return error instanceof HttpError known ? known.status : statusOf(error.code());
    }

    /** The status (RFC 9110 section 15) that fits a code; 500 for what is not the client's doing. */
    public static int statusOf(ErrorCode code) {
        return switch (code) {
            case BAD_REQUEST, BAD_PARAMETER -> 400;
            case NOT_AUTHORISED -> 401;
            case FORBIDDEN_DESTINATION, TLS_NEEDED, NOT_IDENTIFIED, NOT_PERMITTED, BAD_TOKEN, TOKEN_TIME, TOKEN_AUDIENCE,
                    TOKEN_ISSUER, TOKEN_REVOKED, TOKEN_EXPOSED, SESSION_FOREIGN, UNSIGNED, UNKNOWN_PUBLISHER, CERTIFICATE_EXPIRED, REVOKED, OLDER_VERSION, SERVICE_REFUSED, IS_MIRROR, NOT_EXPECTED, NOT_ALLOWED, VIRTUAL_NOT_ALLOWED, NOT_AUTHENTIC, QOS_NOT_ALLOWED, THEODOLITE_FOREIGN, TUNING_NOT_ALLOWED,
                    METADATA_UNSIGNED, METADATA_ROLLBACK, METADATA_EXPIRED, NOT_A_TARGET, NOT_DELEGATED, FLEET_FOREIGN, NOT_FOR_GUESTS, GUEST_QUOTA -> 403;
            case NOT_FOUND, UNKNOWN_SERVICE, NO_INTERFACE, NO_SESSION, NO_QOS_SESSION, NO_POOL, NO_TRANSFER, NO_METADATA -> 404;
            case TYPE_ID_TAKEN, VERSION_EXISTS, NAME_TAKEN, TOO_LATE, DUPLICATE_FLOW, DOMAIN_FOREIGN, BACK_END_TAKEN, BACK_END_SETUP, CLUSTER_FOREIGN, FOREIGN_MODULE, RULES_FULL, TUNING_HELD, DEADLINE_NOT_MET, TRANSFER_OVER, METADATA_TAKEN -> 409;
            case CHANGED_MEANWHILE, FLEET_CHANGED -> 412;
            case TOO_LARGE, MODULE_TOO_LARGE -> 413;
            case NOT_A_BUNDLE, NO_CAPABILITY, BAD_CONFIGURATION, TAMPERED, UNRESOLVABLE, BAD_RULE, BAD_SERVICE_LEVEL, BAD_REPORT, BAD_PLAN, BAD_SAMPLE, BAD_METADATA, METADATA_MISMATCH, FLEET_STATE, FLEET_CUTS_OFF,
                    NO_MODULE, MODULE_OUTSIDE_CONTRACT, NOT_COMPILED -> 422;
            case UNREACHABLE, DESTINATION_REFUSED, REPOSITORY_UNREACHABLE, BUNDLE_HASH_MISMATCH, BAD_BUNDLE, NO_FRONTEND, NO_QUEUE, WEB_ANSWER, NO_CHECKSUM, NO_OBSERVATORY, REGISTRY_LACKS, REGISTRY_ANSWER, REGISTRY_REJECTS -> 502;
            case BUSY, STOPPING, MEMORY_FULL, SERVICE_LIMIT, SERVICE_SUSPENDED, SERVICE_REMOVED, KERNEL, NEEDS_KERNEL, NO_QUEUE_KIND, NODE_SILENT, NOT_TUNABLE,
                    TOO_MANY_SESSIONS, PARTNER_MISSING, QUEUE_FULL, NO_DATABASE, DATABASE_AWAY, DATABASE_READ_ONLY, DATABASE_AHEAD, DATABASE_REFUSES,
                    REGISTRY_AWAY, REGISTRY_DENIES -> 503;
            case STORAGE, STORE_FAILED, DATABASE_FULL, DATABASE_NO_ROOM -> 507;
            default -> 500;
        };
    }

    /** Seconds after which it makes sense to ask again (RFC 9110 section 10.2.3); 0 for an error that somebody has to mend first. */
    public static int retryAfter(AnepException error) {
        return error instanceof HttpError known ? known.retryAfter : retryAfter(error.code());
    }

    private static int retryAfter(ErrorCode code) {
        return switch (code) {
            case DATABASE_AWAY, REGISTRY_AWAY -> 2;
            case DATABASE_READ_ONLY -> 10;
            default -> 0;
        };
    }

    /** {@code {"code":"EE-407","message":"…"}}. */
    static Response response(AnepException error) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("code", error.code().toString());
        body.put("message", error.text());
        Response response = Response.json(statusOf(error), body);
        if (error instanceof HttpError known && known.allow != null) {
            response.header("Allow", known.allow);
        }
        if (retryAfter(error) > 0) {
            response.header("Retry-After", Integer.toString(retryAfter(error)));
        }
        return statusOf(error) == 401 ? response.header("WWW-Authenticate", "Bearer") : response;
    }
}
