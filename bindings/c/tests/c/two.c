/* Two libraries in one process: neither takes the other's objects, and each goes on.
 *
 * two FIRST SECOND FIXTURE: paths of two libraries, and a folder with a key and its witness. */
#include <dlfcn.h>

#include "check.h"
#include "curvesmith.h"

typedef struct {
  int (*load)(curvesmith_object *, const char *, const char *, uint32_t, char *, uint64_t);
  int (*info)(curvesmith_object, curvesmith_key_facts *, char *, uint64_t);
  int (*prove)(curvesmith_object, curvesmith_object, const void *, uint64_t, char *, uint64_t *,
               char *, uint64_t *, char *, uint64_t);
  int (*release)(curvesmith_object);
  curvesmith_object key;
} library;

static void *function(void *handle, const char *name) {
  void *found = dlsym(handle, name);
  if (!found) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return found;
}

/* Names are given to all, as by a program that is linked to both. */
static library open_library(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  library opened = {.key = 0};
  *(void **)&opened.load = function(handle, "curvesmith_key_load_file");
  *(void **)&opened.info = function(handle, "curvesmith_key_info");
  *(void **)&opened.prove = function(handle, "curvesmith_prove");
  *(void **)&opened.release = function(handle, "curvesmith_free");
  return opened;
}

static int prove(library *by, curvesmith_object key, const char *witness, size_t size) {
  char proof[8192], public_inputs[8192];
  uint64_t proof_size = sizeof proof, public_size = sizeof public_inputs;
  return by->prove(key, 0, witness, size, proof, &proof_size, public_inputs, &public_size, message,
                   sizeof message);
}

int main(int argc, char **argv) {
  CHECK(argc == 4);
  size_t size;
  char path[4096], *witness = read_file(argv[3], "witness.wtns", &size);
  snprintf(path, sizeof path, "%s/circuit.zkey", argv[3]);
  library both[2] = {open_library(argv[1]), open_library(argv[2])};
  CHECK(both[0].load != both[1].load);
  for (int i = 0; i < 2; i++)
    CHECK(both[i].load(&both[i].key, path, "cpu", 0, message, sizeof message) == CURVESMITH_OK);
  CHECK(both[0].key != both[1].key);
  for (int i = 0; i < 2; i++) {
    library *own = &both[i], *other = &both[1 - i];
    curvesmith_key_facts facts;
    CHECK(own->info(other->key, &facts, message, sizeof message) == CURVESMITH_INPUT);
    CHECK(prove(own, other->key, witness, size) == CURVESMITH_INPUT);
    CHECK(own->release(other->key) == CURVESMITH_INPUT);
    CHECK(prove(own, own->key, witness, size) == CURVESMITH_OK);
  }
  CHECK(both[0].release(both[0].key) == CURVESMITH_OK);
  CHECK(prove(&both[1], both[1].key, witness, size) == CURVESMITH_OK);
  free(witness);
  puts("two libraries: each keeps to its own");
  return 0;
}
