#ifndef SATCHEL_CCRYPTO_SHIM_H
#define SATCHEL_CCRYPTO_SHIM_H

#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Both write 32 bytes, and return 0 where libcrypto cannot. */

static inline int satchel_sha256(const void *bytes, size_t count, unsigned char *digest) {
    return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}

static inline int satchel_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                                      unsigned char *digest) {
    static const unsigned char none = 0;
    return HMAC(EVP_sha256(), key ? key : &none, (int)key_count, (const unsigned char *)bytes, count, digest,
                NULL) != NULL;
}

#endif
