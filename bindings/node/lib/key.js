'use strict';

// Keys that stay on a device.

const { addon } = require('./native.js');
const { call } = require('./call.js');
const { deviceOf } = require('./devices.js');
const { CurvesmithError, inputError, kindOf } = require('./errors.js');
const { toProof } = require('./groth16.js');
const { toSource } = require('./source.js');
const { calculateWitness } = require('./witness.js');

/** Options of a key that are on or off. */
const SWITCHES = ['trustKey', 'checkSubgroups', 'selfCheck', 'multiples', 'wipe', 'stream', 'refuseWeak'];

/** With which `loadKey` makes keys, and nobody else. */
const MADE = Symbol('made by loadKey');

/** The options, if all of them are known: one that is misspelt would do nothing. */
function toOptions(options, known) {
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throw inputError(`options are ${kindOf(options)}, expected an object`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw inputError(`there is no option ${unknown}, there are ${known.join(', ')}`);
  return options;
}

/** A key on a device. */
class Key {
  #loaded;
  #freed = false;

  constructor(made, loaded) {
    if (made !== MADE) throw new CurvesmithError('input', 'keys are made by loadKey');
    this.#loaded = loaded;
  }

  get curve() {
    return this.#loaded.curve;
  }

  get device() {
    return this.#loaded.device;
  }

  get wires() {
    return this.#loaded.wires;
  }

  get publicInputs() {
    return this.#loaded.publicInputs;
  }

  get verificationKey() {
    return JSON.parse(this.#loaded.verificationKey);
  }

  get weaknesses() {
    return [...this.#loaded.weaknesses];
  }

  get freed() {
    return this.#freed;
  }

  async prove(wtns, options) {
    const { signal } = toOptions(options, ['signal']);
    this.#check();
    const witness = toSource('wtns', wtns);
    return toProof(await call(signal, (ticket) => addon.prove(ticket, this.#loaded.key, witness)));
  }

  async proveBatch(witnesses, options) {
    const { signal } = toOptions(options, ['signal']);
    this.#check();
    if (!Array.isArray(witnesses)) throw inputError(`witnesses are ${kindOf(witnesses)}, expected an array`);
    const results = await Promise.allSettled(Array.from(witnesses, (wtns) => this.prove(wtns, { signal })));
    if (signal?.aborted) throw signal.reason;
    return results;
  }

  async fullProve(input, wasm, options) {
    const { signal, sanityCheck, logger } = toOptions(options, ['signal', 'sanityCheck', 'logger']);
    this.#check();
    const witness = await calculateWitness(input, wasm, { signal, sanityCheck, logger });
    try {
      return await this.prove(witness, { signal });
    } finally {
      witness.fill(0);
    }
  }

  free() {
    this.#freed = true;
    addon.freeKey(this.#loaded.key);
  }

  #check() {
    if (this.#freed) throw inputError('the key was freed');
  }
}

// Node 18 has no such symbol; what compiles `using` for it takes this one.
Object.defineProperty(Key.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
  value: Key.prototype.free,
  configurable: true,
  writable: true,
});

async function loadKey(zkey, options) {
  const { device, signal, ...rest } = toOptions(options, ['device', 'signal', ...SWITCHES]);
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && typeof value !== 'boolean') throw inputError(`${name} is ${kindOf(value)}, expected a boolean`);
  }
  const source = toSource('zkey', zkey);
  const load = (ticket) => addon.loadKey(ticket, source, deviceOf(device), rest);
  return new Key(MADE, await call(signal, load, (late) => addon.freeKey(late.key)));
}

module.exports = { Key, loadKey };
