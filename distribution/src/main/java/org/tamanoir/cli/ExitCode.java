package org.tamanoir.cli;

import java.io.PrintWriter;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** How commands end: the exit codes, and one way to say what went wrong. */
public final class ExitCode {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    public static final int NOT_FOUND = 3;
    public static final int REFUSED = 4;
    public static final int UNREACHABLE = 5;

    static final String EXPLAINED = "0 done, 1 failed, 2 usage, 3 not found, 4 refused or not trusted, 5 unreachable.";

    private ExitCode() {
    }

    /** The exit code that belongs to an error's code. */
    public static int of(ErrorCode code) {
        return switch (code) {
            case NOT_FOUND, UNKNOWN_SERVICE, NO_INTERFACE, NO_SESSION, NO_QOS_SESSION, NO_POOL, NO_TRANSFER, REGISTRY_LACKS, NO_METADATA -> NOT_FOUND;
            case BAD_PARAMETER, NO_ROUTE, FORBIDDEN_DESTINATION, PROXY_FORBIDDEN, TLS_NEEDED, NOT_IDENTIFIED, NOT_PERMITTED, BAD_TOKEN, TOKEN_TIME, TOKEN_AUDIENCE, TOKEN_ISSUER,
                    TOKEN_REVOKED, TOKEN_EXPOSED, SESSION_FOREIGN, NOT_RESUMABLE, SESSION_STATE, TOO_MANY_STREAMS, TOO_MANY_STREAMS_OF_SOURCE, MEMORY_FULL, STOPPING, NOT_A_BUNDLE, NO_CAPABILITY,
                    TYPE_ID_TAKEN, VERSION_EXISTS, TOO_LARGE, NOT_AUTHORISED, NOT_ALLOWED, VIRTUAL_NOT_ALLOWED, BUNDLE_HASH_MISMATCH, SERVICE_SUSPENDED,
                    UNSIGNED, UNKNOWN_PUBLISHER, TAMPERED, CERTIFICATE_EXPIRED, REVOKED, OLDER_VERSION, SERVICE_REFUSED, UNRESOLVABLE, IS_MIRROR, NOT_EXPECTED,
                    NAME_TAKEN, TOO_LATE, NOT_AUTHENTIC, QOS_NOT_ALLOWED, DUPLICATE_FLOW, TOO_MANY_SESSIONS, DOMAIN_FOREIGN, BACK_END_TAKEN,
                    CLUSTER_FOREIGN, FOREIGN_MODULE, RULES_FULL, TUNING_NOT_ALLOWED, TUNING_HELD, CHANGED_MEANWHILE, DEADLINE_NOT_MET, QUEUE_FULL, TRANSFER_OVER, NO_CHECKSUM, THEODOLITE_FOREIGN, DATABASE_REFUSES, REGISTRY_DENIES, REGISTRY_ANSWER, REGISTRY_REJECTS,
                    BAD_METADATA, METADATA_UNSIGNED, METADATA_ROLLBACK, METADATA_EXPIRED, METADATA_MISMATCH, NOT_A_TARGET, METADATA_TAKEN, NOT_DELEGATED, FLEET_CHANGED, FLEET_CUTS_OFF, FLEET_FOREIGN,
                    NO_MODULE, MODULE_TOO_LARGE, MODULE_OUTSIDE_CONTRACT, NOT_COMPILED, NOT_FOR_GUESTS, GUEST_QUOTA -> REFUSED;
            case UNREACHABLE, DESTINATION_REFUSED, REPOSITORY_UNREACHABLE, SOURCE_LOST, SESSION_LOST, NO_QOS_NODE, NO_FRONTEND, NODE_SILENT, COPY_STALLED, NO_QUEUE, NO_DATABASE, DATABASE_AWAY, DATABASE_READ_ONLY, NO_OBSERVATORY, REGISTRY_AWAY -> UNREACHABLE;
            case BAD_REQUEST, BAD_CONFIGURATION, BAD_RULE, BAD_SERVICE_LEVEL, BAD_REPORT, BAD_PLAN, BAD_SAMPLE, FLEET_STATE -> USAGE;
            default -> FAILED;
        };
    }

    /** picocli's handler for whatever a command throws: one line on standard error, no stack trace unless it is a defect. */
    static int report(Exception error, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        if (error instanceof AnepException known) {
            err.println(known.getMessage());
            if (known.code() == ErrorCode.INTERNAL) {
                known.printStackTrace(err);
            }
            return of(known.code());
        }
        err.println(ErrorCode.INTERNAL + " " + error);
        error.printStackTrace(err);
        return FAILED;
    }

    /** picocli's handler for bad arguments: what is wrong, and where to look. */
    static int usage(ParameterException error, String[] arguments) {
        CommandLine line = error.getCommandLine();
        line.getErr().println(error.getMessage());
        line.getErr().println("See '" + line.getCommandSpec().qualifiedName() + " --help'.");
        return USAGE;
    }
}
