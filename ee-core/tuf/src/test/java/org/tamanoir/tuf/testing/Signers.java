package org.tamanoir.tuf.testing;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import org.tamanoir.tuf.sign.RoleSigner;

/** Keys for tests. */
public final class Signers {
    private Signers() {
    }

    public static RoleSigner ed25519() {
        return signer("Ed25519", null);
    }

    public static RoleSigner p256() {
        return signer("EC", "secp256r1");
    }

    private static RoleSigner signer(String algorithm, String curve) {
        KeyPair pair = pair(algorithm, curve);
        return RoleSigner.of(pair.getPrivate(), pair.getPublic());
    }

    /** @param curve null for algorithms that have none */
    public static KeyPair pair(String algorithm, String curve) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (curve != null) {
                generator.initialize(new ECGenParameterSpec(curve));
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
