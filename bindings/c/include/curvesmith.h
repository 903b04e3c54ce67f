/* libcurvesmith: Groth16 proofs, sums and transforms on GPU and CPU.
 *
 * Any number of threads may call any function. An object is a number and no address: one that was
 * freed, or that another library made, is an error. After a fork, the child cannot use the library if
 * the parent had used it before; it gets an error.
 *
 * A device is named `auto`, `cpu`, `cuda`, `cuda:N`, or in builds that have them `wgpu`, `wgpu:N` or
 * `emulator`; NULL takes what the environment variable CURVESMITH_DEVICE says, else `auto`.
 *
 * Functions return a code. Where there is error_msg (it may be NULL), it gets the reason in one line,
 * cut to error_size bytes, with a zero at the end.
 * Licence: MIT or Apache-2.0. */
#ifndef CURVESMITH_H
#define CURVESMITH_H

#include <stdint.h>

#include "rapidsnark/prover.h"
#include "rapidsnark/verifier.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CURVESMITH_OK 0
/* An argument or a file. */
#define CURVESMITH_INPUT 1
/* A buffer is too small; its size is now what is needed. */
#define CURVESMITH_SHORT_BUFFER 2
/* The witness has another number of values than the key has wires. */
#define CURVESMITH_WITNESS_LENGTH 3
/* The proof was made and does not verify: the witness does not satisfy the constraints. */
#define CURVESMITH_INVALID 4
/* The device was too small. */
#define CURVESMITH_DEVICE_MEMORY 5
/* The device cannot be used, or failed. */
#define CURVESMITH_DEVICE 6
/* curvesmith_cancel was called. */
#define CURVESMITH_CANCELLED 7
/* Memory of the host, a fork, or a bug. */
#define CURVESMITH_INTERNAL 8

/* A key, plan or cancellation; never 0. */
typedef uint64_t curvesmith_object;

/* The version, as `0.1.0`. */
const char *curvesmith_version(void);

/* Frees an object, when its last call has ended; 0 is allowed. CURVESMITH_INPUT for any other number
 * that is no object. */
int curvesmith_free(curvesmith_object object);

/* Lists devices, a line each: name, `usable` or `unusable`, and what it is or why it is not, with
 * tabs between. */
int curvesmith_devices(char *buffer, uint64_t *size, char *error_msg, uint64_t error_size);

/* ---- Keys and proofs */

/* Do not check that a key's points lie on their curves. */
#define CURVESMITH_TRUST_KEY 1u
/* Check that every point of a key has order r: for keys from strangers, slow. */
#define CURVESMITH_CHECK_SUBGROUPS 2u
/* Zero the device's memory of a proof before anyone else gets it. */
#define CURVESMITH_WIPE 4u
/* Take a key that does not fit on the device: its points are copied there for every proof. */
#define CURVESMITH_STREAM 8u
/* Refuse a key under which anyone can make proofs. */
#define CURVESMITH_REFUSE_WEAK 16u
/* Keep no multiples of a key's points on a GPU: less memory, slower proofs. */
#define CURVESMITH_NO_MULTIPLES 32u

/* Reads a key (.zkey) and keeps it on a device. flags is a sum of the above. */
int curvesmith_key_load(curvesmith_object *key, const void *zkey, uint64_t zkey_size,
                        const char *device, uint32_t flags, char *error_msg, uint64_t error_size);
int curvesmith_key_load_file(curvesmith_object *key, const char *path, const char *device,
                             uint32_t flags, char *error_msg, uint64_t error_size);

typedef struct {
  uint64_t wires;         /* values of a witness */
  uint64_t public_inputs; /* the constant one not included */
  uint64_t proof_size;    /* bytes that every proof fits in, with its zero */
  uint64_t public_size;   /* bytes that its public inputs fit in */
  char curve[32];         /* as bn254 or bls12_381 */
} curvesmith_key_facts;

int curvesmith_key_info(curvesmith_object key, curvesmith_key_facts *info, char *error_msg,
                        uint64_t error_size);

/* The verification key as JSON. *size is the buffer's size, then the text's length. */
int curvesmith_key_verification_key(curvesmith_object key, char *buffer, uint64_t *size,
                                    char *error_msg, uint64_t error_size);

/* Proves a witness (.wtns). The texts are JSON, byte for byte as snarkjs' files. cancel is 0, or an
 * object that ends the proof early. */
int curvesmith_prove(curvesmith_object key, curvesmith_object cancel, const void *witness,
                     uint64_t witness_size, char *proof, uint64_t *proof_size, char *public_inputs,
                     uint64_t *public_size, char *error_msg, uint64_t error_size);

typedef struct {
  const void *witness;
  uint64_t witness_size;
  char *proof;
  uint64_t proof_size; /* of the buffer, then of the text */
  char *public_inputs;
  uint64_t public_size;
  char *error_msg; /* may be NULL */
  uint64_t error_size;
  int code; /* of this proof */
} curvesmith_job;

/* Proves several witnesses, some at once. A job that fails keeps no other from its proof. cancel is as
 * for curvesmith_prove. */
int curvesmith_prove_batch(curvesmith_object key, curvesmith_object cancel, curvesmith_job *jobs,
                           uint64_t count, char *error_msg, uint64_t error_size);

/* Makes what ends proofs; they fail with CURVESMITH_CANCELLED once curvesmith_cancel was called. */
int curvesmith_cancel_new(curvesmith_object *cancel);
int curvesmith_cancel(curvesmith_object cancel);

/* ---- Sums and transforms
 *
 * A number is an array of 64-bit words, lowest first: 4 for scalars, 4 for coordinates of BN254 and 6
 * for those of BLS12-381. A point is x, then y; a coordinate of G2 is two numbers, c0 first; all words
 * zero are the identity. */

/* Words are the number itself, below the prime. */
#define CURVESMITH_CANONICAL 0u
/* Words are the number times 2^(64*words) modulo the prime. */
#define CURVESMITH_MONTGOMERY 1u

/* Moves the points of group 1 or 2 of a curve to a device. words is the length of the whole array.
 * Points are checked to lie on the curve. */
int curvesmith_msm_new(curvesmith_object *msm, const char *curve, uint32_t group,
                       const uint64_t *bases, uint64_t words, uint32_t form, const char *device,
                       char *error_msg, uint64_t error_size);

/* The sum of scalars[i]*bases[i] for as many scalars as bases. The point has the form of the scalars. */
int curvesmith_msm_run(curvesmith_object msm, const uint64_t *scalars, uint64_t words,
                       uint32_t form, uint64_t *point, uint64_t point_words, char *error_msg,
                       uint64_t error_size);

/* A plan for transforms of len elements, a power of two, over the scalar field of a curve. Evaluations
 * are at shift*root^i, in natural order, with arkworks' root; shift is a canonical number, or NULL with
 * 0 words for one. */
int curvesmith_ntt_new(curvesmith_object *ntt, const char *curve, uint64_t len,
                       const uint64_t *shift, uint64_t shift_words, const char *device,
                       char *error_msg, uint64_t error_size);

/* Coefficients to evaluations, or back where inverse is not 0, in place. */
int curvesmith_ntt_run(curvesmith_object ntt, uint64_t *values, uint64_t words, uint32_t form,
                       int inverse, char *error_msg, uint64_t error_size);

#ifdef __cplusplus
}
#endif
#endif
