'use strict';

// Witnesses by programs of circom, on threads of their own: a circuit can take seconds.

const { readFile } = require('node:fs/promises');
const { availableParallelism, cpus } = require('node:os');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { checkSignal, unlessAborted } = require('./call.js');
const { CurvesmithError, inputError } = require('./errors.js');
const { toSignals } = require('./inputs.js');
const { toSource } = require('./source.js');

/** Threads that calculate at once. */
const MOST = Math.min(4, availableParallelism?.() ?? cpus().length);

/** Threads that have nothing to do; they do not keep the process. */
const idle = [];
const waiting = [];
let running = 0;

/** The witness of `input` as the bytes of a `.wtns` file. */
async function calculateWitness(input, wasm, options = {}) {
  const { signal, logger, sanityCheck } = options ?? {};
  checkSignal(signal);
  const signals = toSignals(input);
  const module = await compile(toSource('wasm', wasm));
  checkSignal(signal);
  const log = (line) => (logger ? logger.info?.(line) : console.log(line));
  const job = { message: { module, signals, sanityCheck: Boolean(sanityCheck) }, log, ended: false };
  const done = new Promise((resolve, reject) => Object.assign(job, { resolve, reject }));
  waiting.push(job);
  next();
  return unlessAborted(signal, done, () => stop(job));
}

async function compile(source) {
  const bytes = typeof source === 'string' ? await read(source) : source;
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw inputError(`wasm: ${error.message}`, error);
  }
}

async function read(file) {
  try {
    return await readFile(file);
  } catch (error) {
    // It has the file's name.
    throw inputError(error.message, error);
  }
}

function next() {
  while (running < MOST && waiting.length > 0) run(waiting.shift());
}

function run(job) {
  running += 1;
  job.thread = idle.pop() ?? newThread();
  job.thread.ref();
  job.thread.job = job;
  job.thread.postMessage(job.message);
}

function newThread() {
  // Not with the options of this process, such as hooks of a TypeScript compiler.
  const thread = new Worker(path.join(__dirname, 'witness-worker.js'), { execArgv: [], name: 'curvesmith witness' });
  thread.on('message', (answer) => {
    const { job } = thread;
    if (!job || job.ended) return;
    if (answer.line !== undefined) {
      job.log(answer.line);
      return;
    }
    if (waiting.length > 0 || idle.length === 0) {
      thread.unref();
      idle.push(thread);
    } else {
      thread.terminate();
    }
    end(job);
    if (answer.wtns) {
      job.resolve(answer.wtns);
    } else {
      job.reject(new CurvesmithError(answer.kind, answer.message));
    }
  });
  // Its memory is spent, or it was ended by somebody else.
  const lost = (reason) => {
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    const { job } = thread;
    if (!job || job.ended) return;
    end(job);
    job.reject(new CurvesmithError('internal', `the thread of the witness ended: ${reason}`));
  };
  thread.on('error', (error) => lost(error.message));
  thread.on('exit', (status) => lost(`status ${status}`));
  return thread;
}

function end(job) {
  job.ended = true;
  job.thread.job = undefined;
  running -= 1;
  next();
}

/** A program cannot be asked to end, but its thread can. */
function stop(job) {
  if (job.ended) return;
  const at = waiting.indexOf(job);
  if (at >= 0) {
    waiting.splice(at, 1);
    return;
  }
  const { thread } = job;
  end(job);
  thread.terminate();
}

module.exports = { calculateWitness };
