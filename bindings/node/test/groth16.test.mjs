// The object `groth16`, judged by snarkjs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as snarkjs from 'snarkjs';
import { CurvesmithError, groth16 } from 'curvesmith';
import { changed, circuits, mult, multBls, semaphore, temporary } from './fixtures.mjs';

for (const { name, zkey, wtns, vk, publicSignals } of circuits) {
  test(`snarkjs accepts a proof of ${name}, and we accept those of snarkjs`, async () => {
    const ours = await groth16.prove(zkey, wtns);
    assert.deepEqual(ours.publicSignals, publicSignals);
    assert.equal(await snarkjs.groth16.verify(vk, ours.publicSignals, ours.proof), true);
    const theirs = await snarkjs.groth16.prove(zkey, wtns);
    for (const { proof } of [ours, theirs]) {
      assert.deepEqual(Object.keys(proof), Object.keys(theirs.proof));
      assert.equal(await groth16.verify(vk, publicSignals, proof), true);
      assert.equal(await groth16.verify(vk, changed(publicSignals), proof), false);
      assert.equal(await snarkjs.groth16.verify(vk, changed(publicSignals), proof), false);
    }
  });
}

test('keys and witnesses are taken in every form', async () => {
  const [zkey, wtns] = [mult.zkey, mult.wtns].map((file) => fs.readFileSync(file));
  const inside = (bytes) => {
    const larger = new Uint8Array(bytes.length + 16).fill(7);
    larger.set(bytes, 8);
    return larger.subarray(8, 8 + bytes.length);
  };
  const shared = (bytes) => {
    const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
    view.set(bytes);
    return view;
  };
  const forms = [
    [pathToFileURL(mult.zkey), pathToFileURL(mult.wtns)],
    [zkey, wtns],
    [inside(zkey), inside(wtns)],
    [new Uint8Array(zkey).buffer, new DataView(new Uint8Array(wtns).buffer)],
    [shared(zkey), shared(wtns)],
    [{ type: 'mem', data: zkey }, { type: 'mem', data: new Uint8Array(wtns) }],
    [{ type: 'file', fileName: mult.zkey }, { type: 'file', fileName: mult.wtns }],
  ];
  for (const [key, witness] of forms) {
    const { proof, publicSignals } = await groth16.prove(key, witness);
    assert.equal(await groth16.verify(mult.vk, publicSignals, proof), true);
  }
});

test('bytes that change after the call do no harm', async () => {
  const [zkey, wtns] = [semaphore.zkey, semaphore.wtns].map((file) => new Uint8Array(fs.readFileSync(file)));
  const running = groth16.prove(zkey, wtns);
  zkey.fill(0);
  // Detached, and taken by somebody else.
  structuredClone(wtns, { transfer: [wtns.buffer] });
  const { proof, publicSignals } = await running;
  assert.equal(await snarkjs.groth16.verify(semaphore.vk, publicSignals, proof), true);
});

test('the logger is told as by snarkjs', async () => {
  const { proof, publicSignals } = await groth16.prove(mult.zkey, mult.wtns);
  const said = [];
  const logger = { info: (line) => said.push(['info', line]), error: (line) => said.push(['error', line]) };
  assert.equal(await groth16.verify(mult.vk, publicSignals, proof, logger), true);
  assert.equal(await groth16.verify(mult.vk, changed(publicSignals), proof, logger), false);
  assert.deepEqual(said[0], ['info', 'OK!']);
  assert.equal(said[1][0], 'error');
  assert.match(said[1][1], /^Invalid proof: /);
});

test('what is read and is no proof is false, what is no key is an error', async () => {
  const { proof, publicSignals } = await groth16.prove(mult.zkey, mult.wtns);
  const verdict = (vk, signals, claim) => groth16.verify(vk, signals, claim);
  assert.equal(await verdict(mult.vk, publicSignals.map(BigInt), proof), true);
  assert.equal(await verdict(mult.vk, publicSignals.map(Number), proof), true);
  assert.equal(await verdict(mult.vk, publicSignals.slice(1), proof), false);
  assert.equal(await verdict(mult.vk, publicSignals, { ...proof, pi_a: ['1', '1', '1'] }), false);
  assert.equal(await verdict(mult.vk, publicSignals, { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a }), false);
  assert.equal(await verdict(semaphore.vk, semaphore.publicSignals, proof), false);
  for (const vk of [null, undefined, 7, 'key', {}, [], { ...mult.vk, IC: [] }, { ...mult.vk, curve: 'secp256k1' }, { ...mult.vk, vk_alpha_1: ['1', '1', '1'] }]) {
    await assert.rejects(verdict(vk, publicSignals, proof), { code: 'input' }, JSON.stringify(vk));
  }
  await assert.rejects(verdict(mult.vk, null, proof), { code: 'input' });
  await assert.rejects(verdict(mult.vk, publicSignals, null), { code: 'input' });
});

test('the call of a contract is that of snarkjs', async () => {
  for (const { zkey, wtns } of [mult, semaphore]) {
    const { proof, publicSignals } = await groth16.prove(zkey, wtns);
    const expected = await snarkjs.groth16.exportSolidityCallData(proof, publicSignals);
    assert.equal(await groth16.exportSolidityCallData(proof, publicSignals), expected);
  }
  const { proof, publicSignals } = await groth16.prove(multBls.zkey, multBls.wtns);
  await assert.rejects(groth16.exportSolidityCallData(proof, publicSignals), { code: 'input', message: /no place in 256 bits/ });
  await assert.rejects(groth16.exportSolidityCallData({}, []), { code: 'input' });
  await assert.rejects(groth16.exportSolidityCallData(proof, ['x']), CurvesmithError);
});

test('a script for snarkjs runs with another import', async () => {
  const text = fs.readFileSync(new URL('script.cjs', import.meta.url), 'utf8');
  assert.equal(text.split("'snarkjs'").length, 2);
  const other = new URL('script-changed.cjs', import.meta.url);
  fs.writeFileSync(other, text.replace("'snarkjs'", "'curvesmith'"));
  const wasm = temporary('circuit.wasm', semaphore.wasm);
  const run = (script) => promisify(execFile)(process.execPath, [script, wasm]);
  const [theirs, ours] = await Promise.all([new URL('script.cjs', import.meta.url), other].map((url) => run(url.pathname)));
  assert.equal(ours.stdout, theirs.stdout);
  assert.equal(ours.stdout.match(/\] true false \[ 2, 2, 2, 4 \] groth16 bn128\n/g).length, 3);
  assert.ok(ours.stdout.endsWith('\nrefused\n'));
});
