/* rapidsnark's verifier interface (its version 0.0.8), as libcurvesmith has it.
 * Licence: MIT or Apache-2.0. */
#ifndef CURVESMITH_RAPIDSNARK_VERIFIER_H
#define CURVESMITH_RAPIDSNARK_VERIFIER_H

#ifdef __cplusplus
extern "C" {
#endif

#define VERIFIER_VALID_PROOF 0x0
/* The proof does not prove the statement; error_msg says why. */
#define VERIFIER_INVALID_PROOF 0x1
/* A text is NULL or not JSON, or the key is malformed. */
#define VERIFIER_ERROR 0x2

/* Verifies a proof. All three are JSON as snarkjs writes it, and end with a zero. */
int groth16_verify(const char *proof, const char *inputs, const char *verification_key,
                   char *error_msg, unsigned long error_msg_maxsize);

#ifdef __cplusplus
}
#endif
#endif
