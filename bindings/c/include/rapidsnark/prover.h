/* rapidsnark's prover interface (its version 0.0.8), as libcurvesmith has it.
 *
 * A program that is linked to rapidsnark runs with this library in its place. Any number of
 * threads may call any function. Proofs are made on the device that the environment variable
 * CURVESMITH_DEVICE names: auto (the default), cpu, cuda, cuda:N, wgpu or wgpu:N.
 *
 * error_msg may be NULL. A message is cut to error_msg_maxsize bytes and always ends with a zero.
 * Licence: MIT or Apache-2.0. */
#ifndef CURVESMITH_RAPIDSNARK_PROVER_H
#define CURVESMITH_RAPIDSNARK_PROVER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes. rapidsnark had `unsigned long` up to version 0.0.6, and go-rapidsnark has it still: define
 * CURVESMITH_UNSIGNED_LONG for that. Both have 64 bits where this library runs on Linux and macOS. */
#ifdef CURVESMITH_UNSIGNED_LONG
typedef unsigned long curvesmith_size;
#else
typedef unsigned long long curvesmith_size;
#endif

#define PROVER_OK 0x0
/* See error_msg. */
#define PROVER_ERROR 0x1
/* A buffer is too small. Nothing was proven; both sizes are now what always suffices. */
#define PROVER_ERROR_SHORT_BUFFER 0x2
/* The witness has another number of values than the key has wires. */
#define PROVER_INVALID_WITNESS_LENGTH 0x3

/* Bytes for the public inputs of a key's circuit as JSON, with the zero: 82 for each, and 4. Only the
 * key's header is read. */
int groth16_public_size_for_zkey_buf(const void *zkey_buffer, curvesmith_size zkey_size,
                                     curvesmith_size *public_size, char *error_msg,
                                     curvesmith_size error_msg_maxsize);
int groth16_public_size_for_zkey_file(const char *zkey_fname, curvesmith_size *public_size,
                                      char *error_msg, curvesmith_size error_msg_maxsize);

/* Bytes for any proof as JSON, with the zero: 810, or more where curves with longer coordinates than
 * BN254's are built in. */
void groth16_proof_size(curvesmith_size *proof_size);

/* Reads a key (.zkey) and makes it ready on the device. What *prover_object becomes is a number and no
 * address. Nothing of the caller's is kept: the buffer or the file can go when this returns. */
int groth16_prover_create(void **prover_object, const void *zkey_buffer, curvesmith_size zkey_size,
                          char *error_msg, curvesmith_size error_msg_maxsize);
int groth16_prover_create_zkey_file(void **prover_object, const char *zkey_file_path,
                                    char *error_msg, curvesmith_size error_msg_maxsize);

/* Proves a witness (.wtns). *proof_size and *public_size are the sizes of the buffers; after
 * PROVER_OK they are the lengths of the texts, without the zeros that end them. The texts are JSON
 * without spaces; the proof has the members pi_a, pi_b, pi_c and protocol. */
int groth16_prover_prove(void *prover_object, const void *wtns_buffer, curvesmith_size wtns_size,
                         char *proof_buffer, curvesmith_size *proof_size, char *public_buffer,
                         curvesmith_size *public_size, char *error_msg,
                         curvesmith_size error_msg_maxsize);

/* Frees a prover, when its last call has ended. NULL and what is no prover are left alone. */
void groth16_prover_destroy(void *prover_object);

/* As create, prove and destroy; but the keys that were used last are kept, by their content:
 * CURVESMITH_KEYS says how many, 4 by default. */
int groth16_prover(const void *zkey_buffer, curvesmith_size zkey_size, const void *wtns_buffer,
                   curvesmith_size wtns_size, char *proof_buffer, curvesmith_size *proof_size,
                   char *public_buffer, curvesmith_size *public_size, char *error_msg,
                   curvesmith_size error_msg_maxsize);
int groth16_prover_zkey_file(const char *zkey_file_path, const void *wtns_buffer,
                             curvesmith_size wtns_size, char *proof_buffer,
                             curvesmith_size *proof_size, char *public_buffer,
                             curvesmith_size *public_size, char *error_msg,
                             curvesmith_size error_msg_maxsize);

#ifdef __cplusplus
}
#endif
#endif
