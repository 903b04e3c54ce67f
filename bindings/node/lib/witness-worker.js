'use strict';

// A thread that calculates witnesses, one after the other.

const { parentPort } = require('node:worker_threads');
const { WitnessError, calculate } = require('./calculator.js');

parentPort.on('message', async ({ module, signals, sanityCheck }) => {
  try {
    const wtns = await calculate(module, signals, sanityCheck, (line) => parentPort.postMessage({ line }));
    parentPort.postMessage({ wtns }, [wtns.buffer]);
  } catch (error) {
    parentPort.postMessage({ kind: error instanceof WitnessError ? 'input' : 'internal', message: error.message });
  }
});
