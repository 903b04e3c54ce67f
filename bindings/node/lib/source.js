'use strict';

// Where a key, a witness or a program is: a file's name, or bytes.

const { fileURLToPath } = require('node:url');
const { types } = require('node:util');
const { inputError, kindOf } = require('./errors.js');

/** A file's name as a string, or bytes as a `Uint8Array`. */
function toSource(what, value) {
  if (typeof value === 'string') return toPath(what, value);
  if (value instanceof URL) {
    if (value.protocol !== 'file:') throw inputError(`${what} is a URL of ${value.protocol}, expected one of file:`);
    return fileURLToPath(value);
  }
  const bytes = toBytes(value);
  if (bytes) return notEmpty(what, bytes);
  if (value !== null && typeof value === 'object') {
    if (value.type === 'file') return toPath(`${what}.fileName`, value.fileName);
    if (value.type === 'mem' || value.type === 'bigMem') {
      const data = toBytes(value.data);
      if (!data) throw inputError(`${what}.data is ${kindOf(value.data)}, expected a Uint8Array`);
      return notEmpty(`${what}.data`, data);
    }
  }
  const expected = 'a path, a Uint8Array, {type: "mem", data} or {type: "file", fileName}';
  throw inputError(`${what} is ${kindOf(value)}, expected ${expected}`);
}

function toPath(what, value) {
  if (typeof value !== 'string') throw inputError(`${what} is ${kindOf(value)}, expected a path`);
  if (value === '') throw inputError(`${what} is an empty path`);
  if (value.includes('\0')) throw inputError(`${what} is a path with a null character`);
  return value;
}

function toBytes(value) {
  if (types.isAnyArrayBuffer(value)) return toBytes(new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return undefined;
  const bytes = types.isUint8Array(value) ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // Another thread can write to shared memory while the addon copies it.
  return types.isSharedArrayBuffer(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}

function notEmpty(what, bytes) {
  if (bytes.length === 0) throw inputError(`${what} has no bytes`);
  return bytes;
}

module.exports = { toSource };
