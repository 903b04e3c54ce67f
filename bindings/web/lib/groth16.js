// `groth16` of snarkjs: the same functions, arguments and values.

import { inputError, kindOf } from './errors.js';
import { loadKey } from './key.js';
import { Service } from './service.js';
import { toSource } from './source.js';

/** Options in the place where snarkjs has its own. Those it has and we do not are left alone. */
function toOptions(options) {
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throw inputError(`options are ${kindOf(options)}, expected an object`);
  return options;
}

async function prove(zkey, wtns, logger, options) {
  const { device, signal, onProgress } = toOptions(options);
  // Before the key is loaded, which takes a while.
  const witness = toSource('wtns', wtns);
  const key = await loadKey(zkey, { device, signal, onProgress, multiples: false });
  try {
    const { proof, publicSignals } = await key.prove(witness, { signal, onProgress });
    return { proof, publicSignals };
  } finally {
    key.free();
  }
}

/** Verifies all proofs of the page. */
let checks;

async function verify(vk, publicSignals, proof, logger) {
  if (vk === null || typeof vk !== 'object') throw inputError(`the verification key is ${kindOf(vk)}, expected an object`);
  if (!Array.isArray(publicSignals)) throw inputError(`publicSignals are ${kindOf(publicSignals)}, expected an array`);
  if (proof === null || typeof proof !== 'object') throw inputError(`the proof is ${kindOf(proof)}, expected an object`);
  const texts = {
    key: JSON.stringify(vk, bigints),
    publicSignals: JSON.stringify(publicSignals, numbers),
    proof: JSON.stringify(proof, numbers),
  };
  checks ??= new Service();
  const used = checks;
  let reason;
  try {
    reason = await used.call('verify', texts);
  } catch (error) {
    if (error.code !== 'input' && checks === used) checks = undefined;
    throw error;
  }
  if (reason === undefined) logger?.info?.('OK!');
  else logger?.error?.(`Invalid proof: ${reason}`);
  return reason === undefined;
}

/** For `JSON.stringify`: numbers as snarkjs has them in files, strings. */
function numbers(name, value) {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : bigints(name, value);
}

function bigints(name, value) {
  return typeof value === 'bigint' ? String(value) : value;
}

export const groth16 = { prove, verify };
