'use strict';

// Inputs of a circuit, by the names of its signals.

const { inputError, kindOf } = require('./errors.js');

/**
 * The values of each input signal, in the order in which the circuit has them: `[{ name, values }]`.
 * Arrays of any depth are one signal; the members of an object are signals `name.member`, as fields of a bus are.
 */
function toSignals(input) {
  if (input === null || typeof input !== 'object' || Array.isArray(input) || ArrayBuffer.isView(input)) {
    throw inputError(`the inputs are ${kindOf(input)}, expected an object with the values of each signal`);
  }
  const signals = [];
  Object.entries(input).forEach(([name, value]) => collect(name, value, signals));
  return signals;
}

function collect(name, value, signals) {
  if (isFields(value)) {
    Object.entries(value).forEach(([field, inner]) => collect(`${name}.${field}`, inner, signals));
  } else if (hasFields(value)) {
    Array.from(value, (inner, at) => collect(`${name}[${at}]`, inner, signals));
  } else {
    const values = [];
    flatten(name, value, values);
    signals.push({ name, values });
  }
}

function isFields(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function hasFields(value) {
  return Array.isArray(value) && value.some((inner) => isFields(inner) || hasFields(inner));
}

function flatten(name, value, values) {
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    // Holes of an array are undefined, which is no number.
    for (const inner of value) flatten(name, inner, values);
  } else {
    values.push(toNumber(name, value));
  }
}

function toNumber(name, value) {
  const refuse = (what) => inputError(`signal ${name} is ${what}, expected an integer as a number, a bigint or a string`);
  switch (typeof value) {
    case 'bigint':
      return value;
    case 'boolean':
      return BigInt(value);
    case 'number':
      if (Number.isSafeInteger(value)) return BigInt(value);
      throw refuse(Number.isInteger(value) ? 'a number above 2^53, which is not exact' : 'a number that is no integer');
    case 'string':
      if (/^-?[0-9]+$/.test(value) || /^0x[0-9a-fA-F]+$/.test(value)) return BigInt(value);
      throw refuse(value === '' ? 'an empty string' : 'a string that is neither decimal nor hexadecimal with 0x');
    default:
      throw refuse(kindOf(value));
  }
}

module.exports = { toSignals };
