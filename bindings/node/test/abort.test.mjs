// Calls that end early.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groth16, loadKey } from 'curvesmith';
import { busy, mult, multProgram, semaphore } from './fixtures.mjs';

const ABORTED = { name: 'AbortError' };
const after = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('a signal that has aborted ends calls before they begin', async () => {
  const signal = AbortSignal.abort();
  const key = await loadKey(mult.zkey);
  const calls = [
    () => loadKey(mult.zkey, { signal }),
    () => key.prove(mult.wtns, { signal }),
    () => key.proveBatch([mult.wtns], { signal }),
    () => key.fullProve({ a: 1, b: 2 }, semaphore.wasm, { signal }),
    () => groth16.prove(mult.zkey, mult.wtns, null, { signal }),
    () => groth16.fullProve(semaphore.input, semaphore.wasm, semaphore.zkey, null, null, { signal }),
  ];
  for (const call of calls) await assert.rejects(call, ABORTED);
  const reason = new Error('not wanted any more');
  await assert.rejects(key.prove(mult.wtns, { signal: AbortSignal.abort(reason) }), reason);
});

/** Seconds of processor time since `before`. */
function spent(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Seconds of processor time that one proof takes. */
async function ofOne(key) {
  await key.prove(semaphore.wtns);
  const before = process.cpuUsage();
  await key.prove(semaphore.wtns);
  return spent(before);
}

test('a proof that runs ends between its steps', async () => {
  const key = await loadKey(semaphore.zkey, { device: 'cpu' });
  const one = await ofOne(key);
  const controller = new AbortController();
  const before = process.cpuUsage();
  const running = key.prove(semaphore.wtns, { signal: controller.signal });
  while (spent(before) < one / 20) await after(1);
  controller.abort();
  await assert.rejects(running, ABORTED);
  // Until nothing runs.
  while ((await busy(200)) > 0.05);
  const seconds = spent(before);
  assert.ok(seconds < 0.7 * one, `${seconds} s of processor time, a whole proof takes ${one} s`);
});

test('proofs that run and that wait end, and nothing runs on', async () => {
  const key = await loadKey(semaphore.zkey, { device: 'cpu' });
  const one = await ofOne(key);
  const controller = new AbortController();
  const { signal } = controller;
  const warnings = [];
  process.on('warning', (warning) => warnings.push(warning));
  const before = process.cpuUsage();
  const running = [...Array(30)].map(() => key.prove(semaphore.wtns, { signal }));
  const batch = key.proveBatch(Array(10).fill(semaphore.wtns), { signal });
  const other = key.prove(semaphore.wtns);
  const settled = Promise.allSettled([...running, batch]);
  await after(50);
  const start = performance.now();
  controller.abort();
  const results = await settled;
  assert.ok(performance.now() - start < 500, 'rejected at once');
  assert.ok(results.every(({ reason }) => reason?.name === 'AbortError'));
  // Whose signal it is not.
  const { proof, publicSignals } = await other;
  assert.equal(await groth16.verify(semaphore.vk, publicSignals, proof), true);
  const seconds = spent(before);
  assert.ok(seconds < 8 * one + 1, `${seconds} s of processor time, a proof takes ${one} s`);
  assert.ok((await busy(500)) < 0.1, 'nothing runs on');
  assert.deepEqual(warnings, []);
});

test('a signal of a time ends a call', async () => {
  const signal = AbortSignal.timeout(30);
  const calls = [...Array(8)].map(() => groth16.prove(semaphore.zkey, semaphore.wtns, null, { signal }));
  const results = await Promise.allSettled(calls);
  assert.ok(results.some(({ reason }) => reason?.name === 'TimeoutError'));
});

test('a key that is loaded for nobody is given back', async () => {
  const controller = new AbortController();
  const loading = loadKey(semaphore.zkey, { signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(loading, ABORTED);
});

test('a circuit that never ends is ended', async () => {
  const wasm = await multProgram();
  const controller = new AbortController();
  const running = groth16.fullProve({ a: 3, b: 77 }, wasm, mult.zkey, null, null, { signal: controller.signal });
  assert.ok((await busy(400)) > 0.1, 'it runs');
  controller.abort();
  await assert.rejects(running, ABORTED);
  await after(200);
  assert.ok((await busy(400)) < 0.1, 'it ended');
  const { publicSignals } = await groth16.fullProve({ a: 3, b: 11 }, wasm, mult.zkey, {});
  assert.deepEqual(publicSignals, mult.publicSignals);
});

test('the event loop goes on, and so do files', async () => {
  const { readFile } = await import('node:fs/promises');
  const key = await loadKey(semaphore.zkey);
  let proving = true;
  const proofs = Promise.all([...Array(6)].map(() => key.prove(semaphore.wtns))).then(() => (proving = false));
  let turns = 0;
  let longest = 0;
  while (proving) {
    const start = performance.now();
    await readFile(mult.zkey);
    await after(5);
    longest = Math.max(longest, performance.now() - start);
    turns += 1;
  }
  await proofs;
  assert.ok(turns > 20 && longest < 1000, `${turns} turns, the longest of ${longest} ms`);
});
