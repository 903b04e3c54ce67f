// Bad keys and witnesses: an error with a code, and never more than that.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { CurvesmithError, groth16, loadKey } from 'curvesmith';
import { mult, multBls, semaphore, temporary } from './fixtures.mjs';

const WRONG = [
  undefined,
  null,
  0,
  NaN,
  7n,
  true,
  Symbol('key'),
  () => {},
  '',
  'a\0b',
  '/no/such/file',
  os.tmpdir(),
  '/dev/null',
  new URL('http://localhost/key'),
  [],
  [1, 2, 3],
  {},
  { type: 'mem' },
  { type: 'mem', data: 'text' },
  { type: 'mem', data: new Uint8Array() },
  { type: 'file', fileName: 7 },
  new Uint8Array(),
  new ArrayBuffer(0),
  new Uint8Array(100),
  new Float64Array(9),
  Buffer.from('zkey'),
];

test('what is no key and no witness is refused', async () => {
  const key = await loadKey(mult.zkey);
  for (const wrong of WRONG) {
    const calls = [
      () => groth16.prove(wrong, mult.wtns),
      () => groth16.prove(mult.zkey, wrong),
      () => groth16.fullProve({}, wrong, mult.zkey),
      () => groth16.fullProve(semaphore.input, semaphore.wasm, wrong),
      () => loadKey(wrong),
      () => key.prove(wrong),
    ];
    for (const call of calls) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof CurvesmithError && error instanceof Error, String(error));
        assert.equal(error.code, 'input', error.message);
        assert.equal(error.name, 'CurvesmithError');
        assert.ok(error.message.length > 0 && !error.message.includes('\n'));
        return true;
      });
    }
  }
  await assert.rejects(groth16.prove(), { code: 'input', message: /^zkey is undefined, expected a path/ });
});

test('a key that is cut short is refused wherever it is cut', async () => {
  const whole = fs.readFileSync(mult.zkey);
  for (let length = 1; length < whole.length; length += 97) {
    await assert.rejects(loadKey(whole.subarray(0, length)), { code: 'input' });
  }
  await assert.rejects(groth16.prove(temporary('cut.zkey', whole.subarray(0, 2000)), mult.wtns), { code: 'input' });
  const witness = fs.readFileSync(mult.wtns);
  for (let length = 1; length < witness.length; length += 13) {
    await assert.rejects(groth16.prove(mult.zkey, witness.subarray(0, length)), { code: /^(input|witness-length)$/ });
  }
});

test('errors have the code of their kind', async () => {
  await assert.rejects(groth16.prove(mult.zkey, semaphore.wtns), { code: 'witness-length' });
  await assert.rejects(groth16.prove(multBls.zkey, mult.wtns), { code: 'input' });
  const wrong = fs.readFileSync(semaphore.wtns);
  wrong[wrong.length - 1] ^= 0x10;
  await assert.rejects(groth16.prove(semaphore.zkey, wrong), { code: 'invalid' });
});

test('options that are none are refused, those of snarkjs are left alone', async () => {
  await assert.rejects(groth16.prove(mult.zkey, mult.wtns, null, 7), { code: 'input' });
  await assert.rejects(groth16.prove(mult.zkey, mult.wtns, null, { signal: 7 }), { code: 'input', message: /AbortSignal/ });
  const { publicSignals } = await groth16.prove(mult.zkey, mult.wtns, undefined, { singleThread: true });
  assert.deepEqual(publicSignals, mult.publicSignals);
});
