// Ends of processes and of threads, and memory.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { groth16, loadKey } from 'curvesmith';
import { busy, mult, multProgram, semaphore, temporary } from './fixtures.mjs';

const require = createRequire(import.meta.url);

/** What a program in a process of its own ends with. */
function run(program) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('.', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })));
}

const PROVE = `
  import { groth16, loadKey } from 'curvesmith';
  const [zkey, wtns] = ${JSON.stringify([semaphore.zkey, semaphore.wtns])};
  const prove = () => groth16.prove(zkey, wtns);
`;

test('a process ends when its proofs have', async () => {
  const { code, out, err } = await run(`${PROVE} prove().then(({ publicSignals }) => console.log(publicSignals.length));`);
  assert.deepEqual([code, out, err], [0, '4\n', '']);
});

test('a process may end while it proves, loads, and calculates', async () => {
  const wasm = temporary('mult.wasm', await multProgram());
  for (const milliseconds of [0, 20, 60, 150, 400]) {
    const work = `for (let i = 0; i < 6; i++) prove(); loadKey(zkey);
      groth16.fullProve({ a: 3, b: 77 }, ${JSON.stringify(wasm)}, zkey);`;
    const end = milliseconds ? `setTimeout(() => process.exit(3), ${milliseconds});` : 'process.exit(3);';
    const { code, signal, err } = await run(`${PROVE} ${work} ${end}`);
    assert.deepEqual([code, signal, err], [3, null, '']);
  }
  const { code, signal, err } = await run(`${PROVE} prove(); setTimeout(() => { throw new Error('ours'); }, 50);`);
  assert.deepEqual([code, signal], [1, null]);
  assert.match(err, /Error: ours/);
});

test('a thread of a script proves, and takes its proofs along when it is ended', async () => {
  const program = `
    const { groth16 } = require('curvesmith');
    const { parentPort, workerData: { zkey, wtns } } = require('node:worker_threads');
    groth16.prove(zkey, wtns).then((made) => {
      parentPort.postMessage(made);
      for (let i = 0; i < 20; i++) groth16.prove(zkey, wtns);
    });`;
  const { zkey, wtns, vk } = semaphore;
  const script = temporary('thread.cjs', program.replace("'curvesmith'", JSON.stringify(require.resolve('curvesmith'))));
  const worker = new Worker(script, { workerData: { zkey, wtns } });
  const { proof, publicSignals } = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.equal(await groth16.verify(vk, publicSignals, proof), true);
  await worker.terminate();
  assert.ok((await busy(500)) < 0.1, 'nothing runs on');
  const again = await groth16.prove(zkey, wtns);
  assert.equal(await groth16.verify(vk, again.publicSignals, again.proof), true);
});

test('proofs, keys and errors leave nothing behind', async () => {
  const key = await loadKey(mult.zkey);
  const wasm = await multProgram();
  const logger = {};
  const round = async (count) => {
    for (let i = 0; i < count; i++) {
      await key.prove(mult.wtns);
      await key.prove(semaphore.wtns).catch(() => {});
      const other = await loadKey(mult.zkey);
      await other.fullProve({ a: 3, b: 11 }, wasm, { logger });
      other.free();
    }
    return process.memoryUsage().rss / 1e6;
  };
  const before = await round(100);
  const after = await round(200);
  console.log(`RSS: ${before.toFixed(1)} MB after 100 rounds, ${after.toFixed(1)} MB after 300`);
  assert.ok(after - before < 12, `${before} MB before, ${after} MB after 200 proofs`);
});
