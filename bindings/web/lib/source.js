// Where a key or a witness is: bytes, a file of the page, or an address.

import { inputError, kindOf } from './errors.js';

/** What a worker can read: a `Uint8Array`, a `Blob`, or an absolute address as a string. */
export function toSource(what, value) {
  if (typeof value === 'string' || value instanceof URL) return toAddress(what, value);
  if (value instanceof Blob) return notEmpty(what, value.size, value);
  const bytes = toBytes(value);
  if (bytes) return notEmpty(what, bytes.length, bytes);
  if (value !== null && typeof value === 'object' && (value.type === 'mem' || value.type === 'bigMem')) {
    const data = toBytes(value.data);
    if (!data) throw inputError(`${what}.data is ${kindOf(value.data)}, expected a Uint8Array`);
    return notEmpty(`${what}.data`, data.length, data);
  }
  const expected = 'an address, a File or Blob, a Uint8Array or {type: "mem", data}';
  throw inputError(`${what} is ${kindOf(value)}, expected ${expected}`);
}

function toAddress(what, value) {
  if (value === '') throw inputError(`${what} is an empty address`);
  try {
    return new URL(value, globalThis.location?.href).href;
  } catch (cause) {
    throw inputError(`${what} is no address: ${cause.message}`, cause);
  }
}

function toBytes(value) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const isBuffer = value instanceof ArrayBuffer || (globalThis.SharedArrayBuffer && value instanceof SharedArrayBuffer);
  return isBuffer ? new Uint8Array(value) : undefined;
}

function notEmpty(what, length, source) {
  if (length === 0) throw inputError(`${what} has no bytes`);
  return source;
}
