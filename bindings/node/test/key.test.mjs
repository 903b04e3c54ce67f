// Keys that stay on a device.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import * as snarkjs from 'snarkjs';
import { CurvesmithError, Key, curves, devices, groth16, loadKey } from 'curvesmith';
import { circuits, mult, multBls, semaphore } from './fixtures.mjs';

for (const { name, zkey, wtns, vk, publicSignals } of circuits) {
  test(`the key of ${name} proves, and says what it is`, async () => {
    const key = await loadKey(zkey, { device: 'cpu' });
    assert.ok(key instanceof Key);
    assert.ok(curves.includes(key.curve));
    assert.equal(key.publicInputs, publicSignals.length);
    assert.equal(key.wires, (fs.statSync(wtns).size - 76) / 32);
    assert.equal(key.device, 'cpu');
    assert.deepEqual(key.verificationKey, vk);
    assert.deepEqual(key.weaknesses, []);
    const made = await key.prove(fs.readFileSync(wtns));
    assert.deepEqual(made.publicSignals, publicSignals);
    assert.equal(await snarkjs.groth16.verify(vk, made.publicSignals, made.proof), true);
    key.free();
  });
}

test('a batch has a result for each witness', async () => {
  const key = await loadKey(fs.readFileSync(mult.zkey), { trustKey: true, multiples: false, wipe: true, checkSubgroups: true });
  const wrong = fs.readFileSync(mult.wtns);
  wrong[wrong.length - 1] ^= 0x10;
  const results = await key.proveBatch([mult.wtns, semaphore.wtns, wrong, null, ...Array(20).fill(mult.wtns)]);
  const [first, long, invalid, missing, ...others] = results;
  assert.deepEqual([long, invalid, missing].map(({ reason }) => reason.code), ['witness-length', 'invalid', 'input']);
  for (const { status, value } of [first, ...others]) {
    assert.equal(status, 'fulfilled');
    assert.equal(await groth16.verify(mult.vk, value.publicSignals, value.proof), true);
  }
  assert.deepEqual(await key.proveBatch([]), []);
  await assert.rejects(key.proveBatch('witnesses'), { code: 'input' });
  key.free();
});

test('a key can be freed while it proves, and not be used again', async () => {
  const key = await loadKey(semaphore.zkey);
  const running = [1, 2, 3, 4, 5, 6].map(() => key.prove(semaphore.wtns));
  assert.equal(key.freed, false);
  key[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  key.free();
  assert.equal(key.freed, true);
  for (const use of [() => key.prove(semaphore.wtns), () => key.proveBatch([]), () => key.fullProve({}, semaphore.wasm)]) {
    await assert.rejects(use, { code: 'input', message: 'the key was freed' });
  }
  for (const { proof, publicSignals } of await Promise.all(running)) {
    assert.equal(await groth16.verify(semaphore.vk, publicSignals, proof), true);
  }
  assert.equal(key.curve, 'bn254');
});

test('options that are misspelt or of another type are refused', async () => {
  const { zkey } = mult;
  await assert.rejects(loadKey(zkey, { trustkey: true }), { code: 'input', message: /there is no option trustkey, there are device, signal, trustKey/ });
  await assert.rejects(loadKey(zkey, { trustKey: 'yes' }), { code: 'input', message: 'trustKey is a string, expected a boolean' });
  await assert.rejects(loadKey(zkey, 'cpu'), { code: 'input' });
  await assert.rejects(loadKey(zkey, { device: 'tpu' }), { code: 'device' });
  await assert.rejects(loadKey(zkey, { device: 7 }), { code: 'input' });
  for (const device of ['cuda:99', 'wgpu:99']) {
    await assert.rejects(groth16.prove(zkey, mult.wtns, null, { device }), { code: 'device', message: new RegExp(device) });
  }
  const key = await loadKey(zkey, { trustKey: undefined });
  await assert.rejects(key.prove(mult.wtns, { device: 'cpu' }), { code: 'input', message: /there is no option device/ });
});

test('a key without a second phase is loaded, says so, and can be refused', async () => {
  const zkey = mult.zkey.replace('bn128_mult', 'bn128_no_phase2');
  assert.equal((await loadKey(zkey)).weaknesses.length, 1);
  await assert.rejects(loadKey(zkey, { refuseWeak: true }), { code: 'input' });
});

test('keys are made by loadKey alone', async () => {
  assert.throws(() => new Key(), CurvesmithError);
  assert.throws(() => new Key(Symbol('made by loadKey'), {}), CurvesmithError);
  await assert.rejects(Key.prototype.prove.call({}, mult.wtns), TypeError);
});

test('the device is that of the environment where none is named', async () => {
  process.env.CURVESMITH_DEVICE = 'cuda:98';
  try {
    await assert.rejects(groth16.prove(mult.zkey, mult.wtns), { code: 'device', message: /cuda:98/ });
    assert.equal((await loadKey(multBls.zkey, { device: 'cpu' })).device, 'cpu');
  } finally {
    delete process.env.CURVESMITH_DEVICE;
  }
  const found = await devices();
  assert.deepEqual(found.map(({ name }) => name), ['auto', 'cuda', 'wgpu', 'cpu', 'emulator']);
  assert.equal(found.find(({ name }) => name === 'cpu').usable, true);
  assert.ok(found.every(({ description }) => description.length > 0));
});
