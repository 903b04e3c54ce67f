'use strict';

// `groth16` of snarkjs: the same functions, arguments and values.

const { addon } = require('./native.js');
const { call } = require('./call.js');
const { deviceOf } = require('./devices.js');
const { inputError, kindOf } = require('./errors.js');
const { toSource } = require('./source.js');
const { calculateWitness } = require('./witness.js');

/** `{ proof, publicSignals }` of the addon's texts. */
function toProof(texts) {
  return { proof: JSON.parse(texts.proof), publicSignals: JSON.parse(texts.public) };
}

/** Options in the place where snarkjs has its own. Those it has and we do not are left alone. */
function toOptions(options) {
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throw inputError(`options are ${kindOf(options)}, expected an object`);
  return options;
}

async function prove(zkey, wtns, logger, options) {
  const { device, signal } = toOptions(options);
  const [key, witness] = [toSource('zkey', zkey), toSource('wtns', wtns)];
  return toProof(await call(signal, (ticket) => addon.proveOnce(ticket, key, deviceOf(device), witness)));
}

async function fullProve(input, wasm, zkey, logger, wtnsCalcOptions, options) {
  const { signal } = toOptions(options);
  // Before the witness is calculated, which takes a while.
  toSource('zkey', zkey);
  const witness = await calculateWitness(input, wasm, { ...toOptions(wtnsCalcOptions), logger, signal });
  try {
    return await prove(zkey, witness, logger, options);
  } finally {
    witness.fill(0);
  }
}

async function verify(vk, publicSignals, proof, logger) {
  if (vk === null || typeof vk !== 'object') throw inputError(`the verification key is ${kindOf(vk)}, expected an object`);
  if (!Array.isArray(publicSignals)) throw inputError(`publicSignals are ${kindOf(publicSignals)}, expected an array`);
  if (proof === null || typeof proof !== 'object') throw inputError(`the proof is ${kindOf(proof)}, expected an object`);
  const texts = [JSON.stringify(vk, bigints), JSON.stringify(publicSignals, numbers), JSON.stringify(proof, numbers)];
  const { valid, reason } = await call(undefined, (ticket) => addon.verify(ticket, ...texts));
  if (valid) {
    logger?.info?.('OK!');
  } else {
    logger?.error?.(`Invalid proof: ${reason}`);
  }
  return valid;
}

/** For `JSON.stringify`: numbers as snarkjs has them in files, strings. */
function numbers(name, value) {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : bigints(name, value);
}

function bigints(name, value) {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The arguments of `verifyProof` of the contract that snarkjs makes, without parentheses. */
async function exportSolidityCallData(proof, publicSignals) {
  const word = (what, value) => {
    let number;
    try {
      number = BigInt(value);
    } catch {
      throw inputError(`${what} is no number`);
    }
    if (number < 0n || number >> 256n !== 0n) throw inputError(`${what} has no place in 256 bits`);
    return `"0x${number.toString(16).padStart(64, '0')}"`;
  };
  const list = (items) => `[${items.join(',')}]`;
  const pair = (what, [first, second]) => `[${word(what, first)}, ${word(what, second)}]`;
  if (!Array.isArray(publicSignals)) throw inputError(`publicSignals are ${kindOf(publicSignals)}, expected an array`);
  const isPoint = (point, length) => Array.isArray(point) && point.length >= length;
  const { pi_a: a, pi_b: b, pi_c: c } = proof ?? {};
  if (!isPoint(a, 2) || !isPoint(c, 2) || !isPoint(b, 2) || !b.slice(0, 2).every((part) => isPoint(part, 2))) {
    throw inputError('the proof has no points pi_a, pi_b and pi_c');
  }
  // The precompiles of Ethereum have the imaginary part first.
  const pi_b = `[${pair('pi_b', [b[0][1], b[0][0]])},${pair('pi_b', [b[1][1], b[1][0]])}]`;
  const signals = list(publicSignals.map((signal, at) => word(`publicSignals[${at}]`, signal)));
  return `${pair('pi_a', a)},${pi_b},${pair('pi_c', c)},${signals}`;
}

const groth16 = { prove, fullProve, verify, exportSolidityCallData };

module.exports = { groth16, toProof };
