/* The contract of rapidsnark's headers, and what they leave open.
 *
 * rapidsnark FIXTURE OTHER NUMBER_OF_INPUTS OUTPUTS: a folder with a key, its witness and its
 * verification key, another one whose witness has another length, and a folder for proof.json and
 * public.json. */
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "rapidsnark/prover.h"
#include "rapidsnark/verifier.h"

static char *key, *witness, *verification_key;
static size_t key_size, witness_size;
static curvesmith_size inputs;

/* Any key of these tests has at most so many inputs. */
#define PUBLIC 4096
#define PROOF 4096

/* One proof by an object, or by the key where there is none. */
static int prove(void *prover, char *proof, char *public_inputs, char *error) {
  curvesmith_size proof_size = PROOF, public_size = PUBLIC;
  int code =
      prover ? groth16_prover_prove(prover, witness, witness_size, proof, &proof_size,
                                    public_inputs, &public_size, error, 512)
             : groth16_prover(key, key_size, witness, witness_size, proof, &proof_size,
                              public_inputs, &public_size, error, 512);
  /* Sizes are lengths, and zeros follow. */
  if (code == PROVER_OK && (strlen(proof) != proof_size || strlen(public_inputs) != public_size))
    return 100;
  return code;
}

static int verify(const char *proof, const char *public_inputs) {
  return groth16_verify(proof, public_inputs, verification_key, message, sizeof message);
}

static void sizes(const char *fixture) {
  curvesmith_size size = 0;
  CHECK(groth16_public_size_for_zkey_buf(key, key_size, &size, message, sizeof message) == PROVER_OK);
  CHECK(size == 82 * inputs + 4);
  char path[4096];
  snprintf(path, sizeof path, "%s/circuit.zkey", fixture);
  size = 0;
  CHECK(groth16_public_size_for_zkey_file(path, &size, message, sizeof message) == PROVER_OK);
  CHECK(size == 82 * inputs + 4);
  groth16_proof_size(&size);
  CHECK(size >= 810 && size < PROOF);
  groth16_proof_size(NULL);
  CHECK(groth16_public_size_for_zkey_buf(key, 100, &size, message, sizeof message) == PROVER_ERROR);
  CHECK(groth16_public_size_for_zkey_buf(NULL, 0, &size, message, sizeof message) == PROVER_ERROR);
  CHECK(groth16_public_size_for_zkey_buf(key, key_size, NULL, message, sizeof message) == PROVER_ERROR);
  CHECK(strcmp(message, "public_size is null") == 0);
  CHECK(groth16_public_size_for_zkey_file("/no/such/file", &size, message, sizeof message) == PROVER_ERROR);
  CHECK(strstr(message, "/no/such/file"));
  CHECK(groth16_public_size_for_zkey_file(NULL, &size, message, sizeof message) == PROVER_ERROR);
}

/* A message is cut to its buffer, ends with a zero, and leaves what follows alone. */
static void messages(void) {
  char small[8];
  curvesmith_size size;
  memset(small, 'x', sizeof small);
  CHECK(groth16_public_size_for_zkey_buf(key, 100, &size, small, 5) == PROVER_ERROR);
  CHECK(strlen(small) == 4 && small[5] == 'x');
  CHECK(groth16_public_size_for_zkey_buf(key, 100, &size, small, 0) == PROVER_ERROR);
  CHECK(strlen(small) == 4);
  CHECK(groth16_public_size_for_zkey_buf(key, 100, &size, NULL, 100) == PROVER_ERROR);
}

static void proofs(const char *fixture, const char *outputs) {
  char proof[PROOF], public_inputs[PUBLIC], path[4096];
  CHECK(prove(NULL, proof, public_inputs, message) == PROVER_OK);
  CHECK(verify(proof, public_inputs) == VERIFIER_VALID_PROOF);
  /* JSON without spaces, of the members that rapidsnark writes. */
  CHECK(strncmp(proof, "{\"pi_a\":[\"", 10) == 0 && strstr(proof, "\"protocol\":\"groth16\"}"));
  CHECK(!strpbrk(proof, " \n") && !strstr(proof, "curve") && !strpbrk(public_inputs, " \n"));
  const char *texts[] = {proof, public_inputs}, *names[] = {"proof.json", "public.json"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", outputs, names[i]);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(texts[i], 1, strlen(texts[i]), file) == strlen(texts[i]) && fclose(file) == 0);
  }
  /* Another statement, and what is none. */
  char other[PUBLIC];
  snprintf(other, sizeof other, "[\"1\"%s", strchr(public_inputs, ',') ? strchr(public_inputs, ',') : "]");
  CHECK(verify(proof, other) == VERIFIER_INVALID_PROOF && message[0]);
  CHECK(verify(proof, "[]") == VERIFIER_INVALID_PROOF);
  CHECK(verify(proof, "nonsense") == VERIFIER_ERROR);
  CHECK(verify("", public_inputs) == VERIFIER_ERROR);
  CHECK(verify(NULL, public_inputs) == VERIFIER_ERROR && strcmp(message, "proof is null") == 0);
  CHECK(groth16_verify(proof, public_inputs, "{}", message, sizeof message) == VERIFIER_ERROR);
  CHECK(groth16_verify(proof, public_inputs, NULL, NULL, 0) == VERIFIER_ERROR);
  /* By the key's file. */
  curvesmith_size proof_size = PROOF, public_size = PUBLIC;
  snprintf(path, sizeof path, "%s/circuit.zkey", fixture);
  CHECK(groth16_prover_zkey_file(path, witness, witness_size, proof, &proof_size, public_inputs,
                                 &public_size, message, sizeof message) == PROVER_OK);
  CHECK(verify(proof, public_inputs) == VERIFIER_VALID_PROOF);
}

/* A buffer that is too small is found before anything is proven, and stays as it is. */
static void short_buffers(void *prover) {
  char proof[PROOF], public_inputs[PUBLIC];
  curvesmith_size most;
  groth16_proof_size(&most);
  for (int which = 0; which < 3; which++) {
    curvesmith_size proof_size = which == 1 ? most : 700, public_size = which == 0 ? PUBLIC : 3;
    if (which == 2) proof_size = 0;
    memset(proof, 'x', sizeof proof);
    CHECK(groth16_prover_prove(prover, witness, witness_size, which == 2 ? NULL : proof, &proof_size,
                               public_inputs, &public_size, message,
                               sizeof message) == PROVER_ERROR_SHORT_BUFFER);
    CHECK(proof[0] == 'x' && proof_size <= most && proof_size >= 810);
    CHECK(public_size == 82 * inputs + 4);
    /* These sizes do. */
    CHECK(groth16_prover_prove(prover, witness, witness_size, proof, &proof_size, public_inputs,
                               &public_size, message, sizeof message) == PROVER_OK);
    CHECK(verify(proof, public_inputs) == VERIFIER_VALID_PROOF);
    CHECK(proof[proof_size] == 0 && (proof_size + 1 == PROOF || proof[proof_size + 1] == 'x'));
  }
}

static void bad_witnesses(void *prover, const char *other) {
  char proof[PROOF], public_inputs[PUBLIC];
  curvesmith_size proof_size = PROOF, public_size = PUBLIC;
  size_t size;
  char *another = read_file(other, "witness.wtns", &size);
  CHECK(groth16_prover_prove(prover, another, size, proof, &proof_size, public_inputs, &public_size,
                             message, sizeof message) == PROVER_INVALID_WITNESS_LENGTH);
  free(another);
  CHECK(groth16_prover_prove(prover, witness, 50, proof, &proof_size, public_inputs, &public_size,
                             message, sizeof message) == PROVER_ERROR);
  CHECK(groth16_prover_prove(prover, NULL, witness_size, proof, &proof_size, public_inputs,
                             &public_size, message, sizeof message) == PROVER_ERROR);
  CHECK(strcmp(message, "wtns_buffer is null") == 0);
  CHECK(groth16_prover_prove(prover, witness, UINT64_MAX, proof, &proof_size, public_inputs,
                             &public_size, message, sizeof message) == PROVER_ERROR);
  CHECK(groth16_prover_prove(prover, witness, witness_size, NULL, &proof_size, public_inputs,
                             &public_size, message, sizeof message) == PROVER_ERROR);
  CHECK(strcmp(message, "proof_buffer is null") == 0);
  CHECK(groth16_prover_prove(prover, witness, witness_size, proof, NULL, public_inputs,
                             &public_size, message, sizeof message) == PROVER_ERROR);
  CHECK(strcmp(message, "size of proof_buffer is null") == 0);
  /* Another value of the last wire satisfies no constraint. */
  witness[witness_size - 32] ^= 1;
  CHECK(prove(prover, proof, public_inputs, message) == PROVER_ERROR);
  CHECK(strstr(message, "does not verify"));
  witness[witness_size - 32] ^= 1;
}

/* What is no prover, was freed, or was never made. */
static void bad_objects(void *prover) {
  char proof[PROOF], public_inputs[PUBLIC];
  int here = 0;
  void *none[] = {(void *)0x1234, &here, (void *)UINTPTR_MAX, (char *)prover + 1};
  for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
    CHECK(prove(none[i], proof, public_inputs, message) == PROVER_ERROR);
    CHECK(strstr(message, "none of this library's"));
    groth16_prover_destroy(none[i]);
  }
  curvesmith_size proof_size = PROOF, public_size = PUBLIC;
  CHECK(groth16_prover_prove(NULL, witness, witness_size, proof, &proof_size, public_inputs,
                             &public_size, message, sizeof message) == PROVER_ERROR);
  groth16_prover_destroy(NULL);
  CHECK(prove(prover, proof, public_inputs, message) == PROVER_OK);
  groth16_prover_destroy(prover);
  groth16_prover_destroy(prover);
  CHECK(prove(prover, proof, public_inputs, message) == PROVER_ERROR);
  void *made = (void *)1;
  CHECK(groth16_prover_create(&made, key, 1000, message, sizeof message) == PROVER_ERROR);
  CHECK(made == (void *)1);
  CHECK(groth16_prover_create(NULL, key, key_size, message, sizeof message) == PROVER_ERROR);
  CHECK(groth16_prover_create_zkey_file(&made, "/", message, sizeof message) == PROVER_ERROR);
}

/* What looks for lost memory takes many times as long. */
static int under_valgrind(void) { return getenv("UNDER_VALGRIND") != NULL; }

static void *in_a_thread(void *prover) {
  int rounds = under_valgrind() ? 2 : 3;
  char proof[PROOF], public_inputs[PUBLIC], error[512];
  for (int i = 0; i < rounds; i++) {
    int code = prove(i == 1 ? NULL : prover, proof, public_inputs, error);
    if (code == PROVER_OK)
      code = groth16_verify(proof, public_inputs, verification_key, error, sizeof error);
    if (code != 0) {
      fprintf(stderr, "in a thread: %d: %s\n", code, error);
      return prover;
    }
  }
  return NULL;
}

static void threads(void *prover) {
  pthread_t threads[6];
  int count = under_valgrind() ? 2 : 6;
  for (int i = 0; i < count; i++) CHECK(pthread_create(&threads[i], NULL, in_a_thread, prover) == 0);
  for (int i = 0; i < count; i++) {
    void *failed;
    CHECK(pthread_join(threads[i], &failed) == 0 && !failed);
  }
}

/* A child of a process that has used the library gets an error, and does not wait for threads that it
 * does not have. */
static void after_a_fork(void *prover) {
  /* What looks for lost memory finds all that the child does not use any more. */
  if (under_valgrind()) return;
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(20);
    char proof[PROOF], public_inputs[PUBLIC];
    int code = prove(prover, proof, public_inputs, message);
    groth16_prover_destroy(prover);
    _exit(code == PROVER_ERROR && strstr(message, "forked") ? 7 : 8);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv) {
  CHECK(argc == 5);
  key = read_file(argv[1], "circuit.zkey", &key_size);
  witness = read_file(argv[1], "witness.wtns", &witness_size);
  size_t size;
  verification_key = read_file(argv[1], "verification_key.json", &size);
  inputs = strtoull(argv[3], NULL, 10);
  sizes(argv[1]);
  messages();
  proofs(argv[1], argv[4]);
  void *prover = NULL;
  /* The key's buffer can go once the prover is there. */
  char *copy = malloc(key_size);
  memcpy(copy, key, key_size);
  CHECK(groth16_prover_create(&prover, copy, key_size, message, sizeof message) == PROVER_OK);
  memset(copy, 0, key_size);
  free(copy);
  short_buffers(prover);
  bad_witnesses(prover, argv[2]);
  threads(prover);
  after_a_fork(prover);
  bad_objects(prover);
  free(key);
  free(witness);
  free(verification_key);
  puts("rapidsnark's interface: as its header says");
  return 0;
}
