package org.tamanoir.identity;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/** Whether two keys belong together: what one signs, the other verifies. */
final class Pairing {
    private static final byte[] TEXT = {1, 2, 3};

    private Pairing() {
    }

    static void check(PrivateKey key, PublicKey of) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(TEXT);
        byte[] signed = signature.sign();
        signature.initVerify(of);
        signature.update(TEXT);
        if (!signature.verify(signed)) {
            throw new InvalidKeyException("the keys do not belong together");
        }
    }
}
