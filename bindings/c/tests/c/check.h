/* What the programs share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s does not hold; last message: %s\n", __FILE__, __LINE__,           \
              #condition, message);                                                                \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* Of the last call. */
static char message[512];

/* A whole file, with a zero behind it; freed by the caller. */
static char *read_file(const char *folder, const char *name, size_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)length + 1);
  if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    perror(path);
    exit(1);
  }
  bytes[length] = 0;
  *size = (size_t)length;
  fclose(file);
  return bytes;
}

#endif
