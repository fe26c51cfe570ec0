package org.tamanoir.node.deploy;

import org.tamanoir.anep.ErrorCode;

/** What an operator can do about a service that could not be had. */
final class Advice {
    private Advice() {
    }

    static String on(ErrorCode code) {
        return switch (code) {
            case UNKNOWN_SERVICE -> "push the bundle to a repository, or deploy it on this node";
            case REPOSITORY_UNREACHABLE -> "start the repository, or name another one";
            case BUNDLE_HASH_MISMATCH -> "push the bundle again; the copy there is damaged";
            case BAD_BUNDLE, NOT_A_BUNDLE -> "look at the bundle with service inspect";
            case SERVICE_START_FAILED -> "the log says why; mend the bundle and publish a new version";
            case BAD_CONFIGURATION -> "mend the options of the service in the node's configuration";
            case UNSIGNED -> "sign it with service sign";
            case UNKNOWN_PUBLISHER -> "if the publisher is to be trusted, add the certificate to the file of --trust";
            case TAMPERED -> "do not use it; find out who changed it";
            case CERTIFICATE_EXPIRED -> "have it signed again with a valid certificate, under a new version";
            case REVOKED -> "use a version that is not revoked";
            case TYPE_ID_TAKEN -> "one of the two sources is wrong about the Type ID";
            case STORAGE -> "look at the disk of the node";
            default -> "see docs/errors.md under " + code;
        };
    }
}
