#ifndef SATCHEL_CCRYPTO_SHIM_H
#define SATCHEL_CCRYPTO_SHIM_H

#include <openssl/bn.h>
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

/* An unsigned number, its most significant byte first. */
struct satchel_number {
    const unsigned char *bytes;
    size_t count;
};

/*
 * The secret of RFC 5054 that a client shares with its server, (B - k * g^x)^(a + u * x), and the client's
 * public number, g^a, both modulo n and of as many bytes as n. Returns 0 where libcrypto has no memory.
 */
static inline int satchel_srp(struct satchel_number n, struct satchel_number g, struct satchel_number k,
                              struct satchel_number a, struct satchel_number b, struct satchel_number u,
                              struct satchel_number x, unsigned char *public_number, unsigned char *secret) {
    BN_CTX *context = BN_CTX_secure_new();
    if (!context) return 0;
    BN_CTX_start(context);
    BIGNUM *numbers[9];
    for (int index = 0; index < 9; index++) numbers[index] = BN_CTX_get(context);
    const struct satchel_number given[7] = {n, g, k, a, b, u, x};
    /* Once one cannot be had, so cannot the ones after it. */
    int done = numbers[8] != NULL;
    for (int index = 0; done && index < 7; index++) {
        done = BN_bin2bn(given[index].bytes, (int)given[index].count, numbers[index]) != NULL;
    }
    if (done) {
        BIGNUM *N = numbers[0], *base = numbers[7], *power = numbers[8];
        BN_set_flags(numbers[3], BN_FLG_CONSTTIME);
        BN_set_flags(numbers[6], BN_FLG_CONSTTIME);
        done = BN_mod_exp(base, numbers[1], numbers[3], N, context) &&
               BN_bn2binpad(base, public_number, (int)n.count) >= 0 &&
               BN_mod_exp(base, numbers[1], numbers[6], N, context) &&
               BN_mod_mul(base, numbers[2], base, N, context) &&
               BN_mod_sub(base, numbers[4], base, N, context) &&
               BN_mul(power, numbers[5], numbers[6], context) && BN_add(power, power, numbers[3]);
        if (done) BN_set_flags(power, BN_FLG_CONSTTIME);
        done = done && BN_mod_exp(base, base, power, N, context) &&
               BN_bn2binpad(base, secret, (int)n.count) >= 0;
    }
    BN_CTX_end(context);
    BN_CTX_free(context);
    return done;
}

#endif
