package org.tamanoir.node.manage.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.AccessRoles;
import org.tamanoir.http.AccessRoles.Role;

/**
 * {@code admin-roles:} of the configuration: who may look at the node, and who may change it, over TCP.
 *
 * @param read    null for nobody besides those who operate
 * @param operate null for the token of {@code admin-token-file} alone
 */
record AdminRoles(Granted read, Granted operate) {
    /**
     * How a role is proven.
     *
     * @param tokenFile a file with a token, or null
     * @param names     of certificates, such as {@code spiffe://example.org/operator/ada}
     */
    record Granted(Path tokenFile, List<String> names) {
        Granted {
            names = names == null ? List.of() : List.copyOf(names);
        }
    }

    /** What the files say now. @param operators the file of {@code admin-token-file}, or null */
    List<AccessRoles.Grant> grants(Path operators) {
        List<AccessRoles.Grant> grants = new ArrayList<>();
        if (operators != null) {
            grants.add(new AccessRoles.Grant(Role.OPERATE, token("admin-token-file", operators), List.of()));
        }
        add(grants, Role.OPERATE, operate, "admin-roles.operate.token-file");
        add(grants, Role.READ, read, "admin-roles.read.token-file");
        return grants;
    }

    private static void add(List<AccessRoles.Grant> grants, Role role, Granted granted, String key) {
        if (granted != null) {
            grants.add(new AccessRoles.Grant(role, granted.tokenFile() == null ? null : token(key, granted.tokenFile()), granted.names()));
        }
    }

    private static String token(String key, Path file) {
        try {
            String token = Files.readString(file).strip();
            if (token.isEmpty()) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, key + ": " + file + " is empty");
            }
            return token;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, key + ": cannot read " + file + ": " + AnepException.reason(e), e);
        }
    }
}
