'use strict';

// Calls of the addon, and how signals end them.

const { addon, session } = require('./native.js');
const { CurvesmithError, inputError, kindOf } = require('./errors.js');

/** What is done when a signal aborts. One listener a signal: Node warns of more than ten. */
const stops = new WeakMap();

/** Has `stop` called when `signal` aborts; a function that takes it back. */
function onAbort(signal, stop) {
  let all = stops.get(signal);
  if (!all) {
    all = new Set();
    stops.set(signal, all);
    const set = all;
    signal.addEventListener('abort', () => [...set].forEach((each) => each()), { once: true });
  }
  all.add(stop);
  return () => all.delete(stop);
}

/** Fails for what is no signal, and with the signal's reason if it has aborted. */
function checkSignal(signal) {
  if (signal === undefined || signal === null) return;
  if (typeof signal !== 'object' || typeof signal.aborted !== 'boolean' || typeof signal.addEventListener !== 'function') {
    throw inputError(`signal is ${kindOf(signal)}, expected an AbortSignal`);
  }
  if (signal.aborted) throw signal.reason;
}

/** The promise, or a rejection with the signal's reason once it aborts; then `stop` is called. */
function unlessAborted(signal, promise, stop) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => {
      stop();
      reject(signal.reason);
    });
    promise.then(resolve, reject).finally(forget);
  });
}

/**
 * What the addon answers to the call that `start` begins with a ticket.
 * `unwanted` is called with an answer that comes after the end.
 */
async function call(signal, start, unwanted) {
  checkSignal(signal);
  const ticket = addon.ticket(session);
  const running = start(ticket);
  const answer = await unlessAborted(signal, running, () => {
    addon.cancel(ticket);
    if (unwanted) running.then((late) => late.kind === undefined && unwanted(late), () => {});
  });
  if (answer.kind !== undefined) throw new CurvesmithError(answer.kind, answer.message);
  return answer;
}

module.exports = { call, checkSignal, unlessAborted };
