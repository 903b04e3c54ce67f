/* What this library has beside rapidsnark's interface.
 *
 * extras FIXTURE: a folder with a key, its witness, its public inputs and its verification key. */
#include <inttypes.h>

#include "check.h"
#include "curvesmith.h"

static void keys(const char *fixture) {
  size_t key_size, witness_size, size;
  char *zkey = read_file(fixture, "circuit.zkey", &key_size);
  char *witness = read_file(fixture, "witness.wtns", &witness_size);
  char *inputs = read_file(fixture, "public.json", &size);
  char *known_vk = read_file(fixture, "verification_key.json", &size);
  curvesmith_object key = 0, cancel = 0;
  CHECK(curvesmith_key_load(&key, zkey, key_size, "cpu", 0, message, sizeof message) == CURVESMITH_OK);
  free(zkey);
  curvesmith_key_facts facts;
  CHECK(curvesmith_key_info(key, &facts, message, sizeof message) == CURVESMITH_OK);
  CHECK(facts.wires > facts.public_inputs && strcmp(facts.curve, "bn254") == 0);
  /* The verification key, whose size is asked for first. */
  uint64_t vk_size = 0;
  CHECK(curvesmith_key_verification_key(key, NULL, &vk_size, message, sizeof message) == CURVESMITH_SHORT_BUFFER);
  char *vk = malloc(vk_size);
  CHECK(curvesmith_key_verification_key(key, vk, &vk_size, message, sizeof message) == CURVESMITH_OK);
  /* A proof, as snarkjs writes it. */
  char *proof = malloc(facts.proof_size), *public_inputs = malloc(facts.public_size);
  uint64_t proof_size = 10, public_size = facts.public_size;
  CHECK(curvesmith_prove(key, 0, witness, witness_size, proof, &proof_size, public_inputs,
                         &public_size, message, sizeof message) == CURVESMITH_SHORT_BUFFER);
  CHECK(proof_size == facts.proof_size && public_size == facts.public_size);
  CHECK(curvesmith_prove(key, 0, witness, witness_size, proof, &proof_size, public_inputs,
                         &public_size, message, sizeof message) == CURVESMITH_OK);
  CHECK(strcmp(public_inputs, inputs) == 0 && strstr(proof, " \"curve\": \"bn128\""));
  CHECK(groth16_verify(proof, public_inputs, vk, message, sizeof message) == VERIFIER_VALID_PROOF);
  CHECK(groth16_verify(proof, public_inputs, known_vk, message, sizeof message) == VERIFIER_VALID_PROOF);
  /* An end that was asked for. */
  CHECK(curvesmith_cancel_new(&cancel) == CURVESMITH_OK && curvesmith_cancel(cancel) == CURVESMITH_OK);
  proof_size = facts.proof_size, public_size = facts.public_size;
  CHECK(curvesmith_prove(key, cancel, witness, witness_size, proof, &proof_size, public_inputs,
                         &public_size, message, sizeof message) == CURVESMITH_CANCELLED);
  curvesmith_job ended = {.witness = witness, .witness_size = witness_size, .proof = proof, .proof_size = facts.proof_size,
                          .public_inputs = public_inputs, .public_size = facts.public_size};
  CHECK(curvesmith_prove_batch(key, cancel, &ended, 1, message, sizeof message) == CURVESMITH_OK);
  CHECK(ended.code == CURVESMITH_CANCELLED);
  CHECK(curvesmith_prove_batch(key, key, &ended, 1, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_free(cancel) == CURVESMITH_OK && curvesmith_cancel(cancel) == CURVESMITH_INPUT);
  CHECK(curvesmith_cancel(key) == CURVESMITH_INPUT);
  /* Of four witnesses one has a wrong value, and one is cut. */
  char *wrong = malloc(witness_size);
  memcpy(wrong, witness, witness_size);
  wrong[witness_size - 32] ^= 1;
  curvesmith_job jobs[4];
  for (int i = 0; i < 4; i++) {
    jobs[i] = (curvesmith_job){.witness = i == 1 ? wrong : witness, .witness_size = i == 2 ? 60 : witness_size};
    jobs[i].proof = malloc(facts.proof_size), jobs[i].proof_size = facts.proof_size;
    jobs[i].public_inputs = malloc(facts.public_size), jobs[i].public_size = facts.public_size;
  }
  jobs[1].error_msg = message, jobs[1].error_size = sizeof message;
  CHECK(curvesmith_prove_batch(key, 0, jobs, 4, NULL, 0) == CURVESMITH_OK);
  CHECK(jobs[0].code == CURVESMITH_OK && jobs[3].code == CURVESMITH_OK);
  CHECK(jobs[1].code == CURVESMITH_INVALID && strstr(message, "does not verify"));
  CHECK(jobs[2].code == CURVESMITH_INPUT);
  for (int i = 0; i < 4; i++) {
    if (i == 0 || i == 3)
      CHECK(groth16_verify(jobs[i].proof, jobs[i].public_inputs, vk, message, sizeof message) == VERIFIER_VALID_PROOF);
    free(jobs[i].proof), free(jobs[i].public_inputs);
  }
  CHECK(strcmp(inputs, "[]") && curvesmith_prove_batch(key, 0, NULL, 1, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_prove_batch(key, 0, NULL, 0, message, sizeof message) == CURVESMITH_OK);
  CHECK(curvesmith_key_load_file(&key, "/no/file", NULL, 0, message, sizeof message) == CURVESMITH_INPUT);
  char path[4096];
  curvesmith_object second = 0;
  snprintf(path, sizeof path, "%s/circuit.zkey", fixture);
  CHECK(curvesmith_key_load_file(&second, path, "cpu", 64, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_key_load_file(&second, path, "toaster", 0, message, sizeof message) == CURVESMITH_DEVICE);
  CHECK(curvesmith_key_load_file(&second, path, "wgpu:99", 0, message, sizeof message) == CURVESMITH_DEVICE);
  CHECK(strstr(message, "wgpu:99"));
  CHECK(curvesmith_key_load_file(&second, path, "cpu", CURVESMITH_CHECK_SUBGROUPS | CURVESMITH_REFUSE_WEAK, message,
                                 sizeof message) == CURVESMITH_OK);
  CHECK(curvesmith_free(second) == CURVESMITH_OK && curvesmith_free(second) == CURVESMITH_INPUT);
  CHECK(curvesmith_free(key) == CURVESMITH_OK && curvesmith_free(0) == CURVESMITH_OK);
  CHECK(curvesmith_key_info(key, &facts, message, sizeof message) == CURVESMITH_INPUT);
  free(proof), free(public_inputs), free(vk), free(wrong), free(witness), free(inputs), free(known_vk);
}

/* G and 2G of BN254, of which the second is from Ethereum's tests of EIP-196. */
static void sums(void) {
  uint64_t bases[16] = {1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
  const uint64_t twice[8] = {0xd3c208c16d87cfd3, 0xd97816a916871ca8, 0x9b85045b68181585, 0x030644e72e131a02,
                             0xff3ebf7a5a18a2c4, 0x68a6a449e3538fc7, 0xe7845f96b2ae9c0a, 0x15ed738c0e0a7c92};
  uint64_t scalars[8] = {1, 0, 0, 0, 1, 0, 0, 0}, point[8];
  curvesmith_object msm = 0;
  CHECK(curvesmith_msm_new(&msm, "bn254", 1, bases, 16, CURVESMITH_CANONICAL, "cpu", message,
                           sizeof message) == CURVESMITH_OK);
  CHECK(curvesmith_msm_run(msm, scalars, 8, CURVESMITH_CANONICAL, point, 8, message, sizeof message) == CURVESMITH_OK);
  CHECK(memcmp(point, twice, sizeof point) == 0);
  /* r - 1 of the one and 1 of the other: the identity. */
  const uint64_t order_less_one[4] = {0x43e1f593f0000000, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029};
  memcpy(scalars, order_less_one, sizeof order_less_one);
  CHECK(curvesmith_msm_run(msm, scalars, 8, CURVESMITH_CANONICAL, point, 8, message, sizeof message) == CURVESMITH_OK);
  for (int i = 0; i < 8; i++) CHECK(point[i] == 0);
  scalars[0]++;
  CHECK(curvesmith_msm_run(msm, scalars, 8, CURVESMITH_CANONICAL, point, 8, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_msm_run(msm, scalars, 4, CURVESMITH_CANONICAL, point, 8, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_msm_run(msm, scalars, 8, 2, point, 8, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_msm_run(msm, scalars, 8, CURVESMITH_CANONICAL, point, 7, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_free(msm) == CURVESMITH_OK);
  CHECK(curvesmith_msm_run(msm, scalars, 8, 0, point, 8, message, sizeof message) == CURVESMITH_INPUT);
  bases[0] = 3;
  CHECK(curvesmith_msm_new(&msm, "bn254", 1, bases, 16, 0, "cpu", message, sizeof message) == CURVESMITH_INPUT);
  CHECK(strcmp(message, "bases: point 0 is off the curve") == 0);
  CHECK(curvesmith_msm_new(&msm, NULL, 1, bases, 16, 0, "cpu", message, sizeof message) == CURVESMITH_INPUT);
}

/* Of (1, 2) the values at 1 and at -1 are 3 and -1. */
static void transforms(void) {
  uint64_t values[8] = {1, 0, 0, 0, 2, 0, 0, 0};
  const uint64_t expected[8] = {3, 0, 0, 0, 0x43e1f593f0000000, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029};
  curvesmith_object ntt = 0;
  CHECK(curvesmith_ntt_new(&ntt, "bn254", 2, NULL, 0, "cpu", message, sizeof message) == CURVESMITH_OK);
  CHECK(curvesmith_ntt_run(ntt, values, 8, 0, 0, message, sizeof message) == CURVESMITH_OK);
  CHECK(memcmp(values, expected, sizeof values) == 0);
  CHECK(curvesmith_ntt_run(ntt, values, 8, 0, 1, message, sizeof message) == CURVESMITH_OK);
  CHECK(values[0] == 1 && values[4] == 2 && values[7] == 0);
  CHECK(curvesmith_ntt_run(ntt, values, 4, 0, 0, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_ntt_run(ntt, (uint64_t *)((char *)values + 1), 7, 0, 0, message, sizeof message) == CURVESMITH_INPUT);
  CHECK(curvesmith_free(ntt) == CURVESMITH_OK);
  CHECK(curvesmith_ntt_new(&ntt, "bn254", 7, NULL, 0, "cpu", message, sizeof message) == CURVESMITH_INPUT);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(strchr(curvesmith_version(), '.'));
  char devices[4096];
  uint64_t size = 0;
  CHECK(curvesmith_devices(NULL, &size, message, sizeof message) == CURVESMITH_SHORT_BUFFER && size > 1);
  size = sizeof devices;
  CHECK(curvesmith_devices(devices, &size, message, sizeof message) == CURVESMITH_OK);
  CHECK(strstr(devices, "cpu\tusable\tcpu\n"));
  CHECK(strstr(devices, "\nwgpu\tusable\t") || strstr(devices, "\nwgpu\tunusable\t"));
  keys(argv[1]);
  sums();
  transforms();
  puts("libcurvesmith's own interface: as its header says");
  return 0;
}
