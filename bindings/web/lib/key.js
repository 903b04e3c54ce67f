// Keys that stay on a device, each in a worker of its own.

import { deviceOf } from './devices.js';
import { CurvesmithError, inputError, kindOf } from './errors.js';
import { Service } from './service.js';
import { toSource } from './source.js';

/** Options of a key that are on or off. */
const SWITCHES = ['trustKey', 'checkSubgroups', 'selfCheck', 'multiples', 'wipe', 'refuseWeak'];

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
export class Key {
  #service;
  #loaded;
  #freed = false;

  constructor(made, service, loaded) {
    if (made !== MADE) throw inputError('keys are made by loadKey');
    this.#service = service;
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
    const { signal, onProgress } = toOptions(options, ['signal', 'onProgress']);
    const source = toSource('wtns', wtns);
    const { proof, publicSignals, stages } = await this.#service.call('prove', { wtns: source }, { signal, onProgress });
    const named = stages.map(([name, milliseconds]) => ({ name, milliseconds }));
    return { proof: JSON.parse(proof), publicSignals: JSON.parse(publicSignals), stages: named };
  }

  free() {
    this.#freed = true;
    this.#service.end(inputError('the key was freed'));
  }
}

// Not every browser has such a symbol; what compiles `using` for it takes this one.
Object.defineProperty(Key.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
  value: Key.prototype.free,
  configurable: true,
  writable: true,
});

export async function loadKey(zkey, options) {
  const { device, signal, onProgress, ...switches } = toOptions(options, ['device', 'signal', 'onProgress', ...SWITCHES]);
  for (const [name, value] of Object.entries(switches)) {
    if (value === undefined) delete switches[name];
    else if (typeof value !== 'boolean') throw inputError(`${name} is ${kindOf(value)}, expected a boolean`);
  }
  const given = { zkey: toSource('zkey', zkey), device: deviceOf(device), switches };
  const service = new Service();
  try {
    return new Key(MADE, service, await service.call('loadKey', given, { signal, onProgress }));
  } catch (error) {
    service.end(new CurvesmithError('internal', 'no key was loaded'));
    throw error;
  }
}
