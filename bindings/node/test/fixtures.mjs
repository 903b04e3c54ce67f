// What the tests share: circuits with their keys, and programs.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import zlib from 'node:zlib';

const require = createRequire(import.meta.url);

// The threads of snarkjs, which would keep the process.
after(async () => {
  await globalThis.curve_bn128?.terminate();
  await globalThis.curve_bls12381?.terminate();
});

/** Folders of circuits: key, witness, verification key, public signals. */
const root = process.env.CURVESMITH_FIXTURES;
if (!root) throw new Error('CURVESMITH_FIXTURES names no folder: run `cargo xtask node`');

function circuit(name) {
  const file = (base) => path.join(root, name, base);
  return {
    name,
    zkey: file('circuit.zkey'),
    wtns: file('witness.wtns'),
    vk: JSON.parse(fs.readFileSync(file('verification_key.json'), 'utf8')),
    publicSignals: JSON.parse(fs.readFileSync(file('public.json'), 'utf8')),
  };
}

export const mult = circuit('bn128_mult');
export const multBls = circuit('bls12381_mult');
export const semaphore = {
  ...circuit('bn128_semaphore20_ceremony'),
  /** Its program, made by circom. */
  wasm: zlib.gunzipSync(fs.readFileSync(path.join(root, 'bn128_semaphore20_ceremony', 'circuit.wasm.gz'))),
  input: {
    secret: 1234567n,
    merkleProofLength: 3,
    merkleProofIndex: '5',
    merkleProofSiblings: [11, '0x16', 33n, ...Array(17).fill(0)],
    message: '4660',
    scope: 42,
  },
};
export const circuits = [mult, multBls, semaphore];

/** The program of `mult`'s circuit, as circom's are called. */
export async function multProgram() {
  const wabt = await require('wabt')();
  const file = new URL('mult.wat', import.meta.url);
  const parsed = wabt.parseWat('mult.wat', fs.readFileSync(file, 'utf8'));
  return Buffer.from(parsed.toBinary({}).buffer);
}

/** A file of these bytes, which is removed with the process. */
export function temporary(name, bytes) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'curvesmith-node-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  fs.writeFileSync(file, bytes);
  return file;
}

/** The signals, the first of which is another number. */
export function changed([first, ...others]) {
  return [String(BigInt(first) ^ 1n), ...others];
}

/** Seconds of processor time that this process takes in `milliseconds`. */
export async function busy(milliseconds) {
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
