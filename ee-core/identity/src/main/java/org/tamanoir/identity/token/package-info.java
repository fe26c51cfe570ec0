/**
 * Bearer tokens by which users show what they may do: JSON Web Tokens (RFC 7519) of the WLCG profile 1.1 and of SciTokens, verified against the keys of the
 * issuers that the operator lists.
 */
package org.tamanoir.identity.token;
