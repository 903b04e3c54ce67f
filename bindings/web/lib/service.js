// A worker, and calls of it.

import { CurvesmithError, inputError, kindOf } from './errors.js';

/** Fails for what is no signal, and with the signal's reason if it has aborted. */
export function checkSignal(signal) {
  if (signal === undefined || signal === null) return;
  if (!(signal instanceof AbortSignal)) throw inputError(`signal is ${kindOf(signal)}, expected an AbortSignal`);
  signal.throwIfAborted();
}

/** A worker with a module of its own, which answers one call after the other. */
export class Service {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'curvesmith' });
  #calls = new Map();
  #next = 0;
  #ended;

  constructor() {
    this.#worker.addEventListener('message', ({ data }) => this.#answer(data));
    // Its script is not there, or throws.
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.end(new CurvesmithError('internal', `the worker failed: ${event.message ?? 'its script cannot be loaded'}`));
    });
  }

  /** What the worker answers. With `onProgress`, its steps are told. An aborted call goes on without its caller. */
  call(name, arguments_, { signal, onProgress } = {}) {
    checkSignal(signal);
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const aborted = () => this.#settle(id)?.reject(signal.reason);
      signal?.addEventListener('abort', aborted);
      const forget = () => signal?.removeEventListener('abort', aborted);
      this.#calls.set(id, { resolve, reject, forget, onProgress });
      this.#worker.postMessage({ id, name, arguments: arguments_ });
    });
  }

  /** Ends the worker, what it does, and all that it has. Calls fail with this error, from now on too. */
  end(error) {
    this.#ended ??= error;
    this.#worker.terminate();
    for (const id of [...this.#calls.keys()]) this.#settle(id).reject(this.#ended);
  }

  #answer({ id, progress, value, error, fatal }) {
    if (progress !== undefined) {
      this.#calls.get(id)?.onProgress?.(progress);
      return;
    }
    const failure = error && new CurvesmithError(error.code, error.message);
    const call = this.#settle(id);
    if (failure) call?.reject(failure);
    else call?.resolve(value);
    if (fatal) this.end(failure);
  }

  #settle(id) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.forget();
    return call;
  }
}
