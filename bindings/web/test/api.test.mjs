// What a program in a page gets of the package: proofs, and errors that say what is wrong.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, serve } from './browser.mjs';

const MULT = '/fixtures/bn128_mult';
let browser, server, origin;
before(async () => {
  ({ server, origin } = await serve());
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** What a function gives in an empty page, which it gets the package and an argument in. */
async function inPage(work, argument, { context = browser, before } = {}) {
  const page = await context.newPage();
  try {
    if (before) await page.addInitScript(before);
    await page.goto(origin);
    const body = `(async (argument) => (${work})(await import('curvesmith-web'), argument))(${JSON.stringify(argument)})`;
    return await page.evaluate(body);
  } finally {
    await page.close();
  }
}

/** Code and text of the error that a call ends with. */
const CAUGHT = `async (call) => {
  try {
    await call();
    return 'no error';
  } catch (error) {
    return \`\${error.name} \${error.code}: \${error.message}\`;
  }
}`;

/** The error of each call; a call is the text of a function of the package and of the folder of a fixture. */
function errorsOf(calls, options) {
  const all = calls.map((call) => `async (web) => (${call})(web, ${JSON.stringify(MULT)})`).join(',');
  const work = `async (web) => {
    const caught = ${CAUGHT};
    const errors = [];
    for (const call of [${all}]) errors.push(await caught(() => call(web)));
    return errors;
  }`;
  return inPage(work, null, options);
}

function expectErrors(found, expected) {
  assert.equal(found.length, expected.length);
  found.forEach((text, at) => assert.match(text, expected[at]));
}

for (const device of ['cpu', 'wgpu']) {
  test(`a key stays on ${device}, and its proofs are valid`, async () => {
    const found = await inPage(async ({ groth16, loadKey }, { device, folder }) => {
      const steps = [];
      const onProgress = (step) => steps.push(step);
      const key = await loadKey(`${folder}/circuit.zkey`, { device, multiples: false, onProgress });
      const wtns = new Uint8Array(await (await fetch(`${folder}/witness.wtns`)).arrayBuffer());
      const proofs = await Promise.all([wtns, { type: 'mem', data: wtns }, new Blob([wtns])].map((w) => key.prove(w, { onProgress })));
      const verdicts = [];
      for (const { proof, publicSignals } of proofs) verdicts.push(await groth16.verify(key.verificationKey, publicSignals, proof));
      const [{ proof, publicSignals, stages }] = proofs;
      const other = publicSignals.with(0, String(BigInt(publicSignals[0]) + 1n));
      const said = [];
      verdicts.push(await groth16.verify(key.verificationKey, other, proof, { error: (text) => said.push(text) }));
      const { curve, wires, publicInputs } = key;
      key.free();
      return { verdicts, said, steps, curve, wires, publicInputs, named: stages.length, length: wtns.length };
    }, { device, folder: MULT });
    assert.deepEqual(found.verdicts, [true, true, true, false]);
    assert.match(found.said[0], /^Invalid proof: /);
    assert.deepEqual(found.steps, ['module', 'device', 'key', ...Array(3).fill(['witness', 'proof']).flat()]);
    assert.deepEqual([found.curve, found.wires, found.publicInputs], ['bn254', 5, 3]);
    assert.ok(found.named > 3 && found.length > 0, 'stages are named, and bytes are not taken away');
  });
}

test('a proof by one call', async () => {
  const valid = await inPage(async ({ groth16 }, folder) => {
    const vk = await (await fetch(`${folder}/verification_key.json`)).json();
    const { proof, publicSignals } = await groth16.prove(`${folder}/circuit.zkey`, `${folder}/witness.wtns`, null, { device: 'cpu' });
    return groth16.verify(vk, publicSignals, proof);
  }, MULT);
  assert.equal(valid, true);
});

test('wrong arguments and files are named', async () => {
  const prove = (zkey, wtns) => `({ groth16 }, at) => groth16.prove(${zkey}, ${wtns}, null, { device: 'cpu' })`;
  const [zkey, wtns] = ['at + "/circuit.zkey"', 'at + "/witness.wtns"'];
  const found = await errorsOf([
    prove('7', wtns),
    prove('new Uint8Array()', wtns),
    prove('at + "/none.zkey"', wtns),
    prove('new Uint8Array(100)', wtns),
    prove(zkey, zkey),
    prove('{ type: "mem", data: "text" }', wtns),
    '({ loadKey }, at) => loadKey(at + "/circuit.zkey", { devise: "cpu" })',
    '({ loadKey }, at) => loadKey(at + "/circuit.zkey", { wipe: 1 })',
    '({ loadKey }, at) => loadKey(at + "/circuit.zkey", { device: "tpu" })',
    '({ loadKey }, at) => loadKey(at + "/circuit.zkey", { device: "cuda" })',
    '({ loadKey }, at) => loadKey(at + "/circuit.zkey", { device: 7 })',
    'async ({ loadKey }, at) => { const key = await loadKey(at + "/circuit.zkey", { device: "cpu" }); key.free(); await key.prove(at + "/witness.wtns"); }',
    '({ groth16 }) => groth16.verify({}, [], {})',
    '({ groth16 }) => groth16.verify(null, [], {})',
    '({ Key }) => new Key()',
  ]);
  expectErrors(found, [
    /^CurvesmithError input: zkey is a number, expected an address, a File or Blob, a Uint8Array/,
    /^CurvesmithError input: zkey has no bytes$/,
    /^CurvesmithError input: zkey: http.*none\.zkey: 404/,
    /^CurvesmithError input: .*zkey/,
    /^CurvesmithError (input|witness-length): .*wtns/,
    /^CurvesmithError input: zkey\.data is a string, expected a Uint8Array$/,
    /^CurvesmithError input: there is no option devise, there are device, /,
    /^CurvesmithError input: wipe is a number, expected a boolean$/,
    /^CurvesmithError device: .*tpu.* no such device/,
    /^CurvesmithError device: .*WebAssembly has no CUDA driver/,
    /^CurvesmithError input: device is a number, expected a name/,
    /^CurvesmithError input: the key was freed$/,
    /^CurvesmithError input: /,
    /^CurvesmithError input: the verification key is null, expected an object$/,
    /^CurvesmithError input: keys are made by loadKey$/,
  ]);
});

test('a witness that breaks the constraints gives no proof', async () => {
  const [found] = await errorsOf([
    `async ({ groth16 }, at) => {
      const wtns = new Uint8Array(await (await fetch(at + '/witness.wtns')).arrayBuffer());
      wtns[wtns.length - 32] ^= 1;
      await groth16.prove(at + '/circuit.zkey', wtns, null, { device: 'cpu' });
    }`,
  ]);
  assert.match(found, /^CurvesmithError invalid: /);
});

test('an aborted call ends with the reason of its signal', async () => {
  const found = await inPage(async ({ groth16, loadKey }, folder) => {
    const stop = new AbortController();
    const call = groth16.prove(`${folder}/circuit.zkey`, `${folder}/witness.wtns`, null, { signal: stop.signal });
    stop.abort(new Error('enough'));
    const reasons = [await call.catch((error) => error.message)];
    reasons.push(await loadKey(`${folder}/circuit.zkey`, { signal: stop.signal }).catch((error) => error.message));
    reasons.push(await loadKey(`${folder}/circuit.zkey`, { signal: 7 }).catch((error) => error.message));
    return reasons;
  }, MULT);
  assert.deepEqual(found, ['enough', 'enough', 'signal is a number, expected an AbortSignal']);
});

/** Has a script run in each worker before its own; both are imported at once, so that no message is missed. */
const inWorkers = (script) => `{
  const Real = Worker;
  const module = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  globalThis.Worker = class extends Real {
    constructor(url, options) {
      const first = module(${JSON.stringify(script)});
      super(module('import ' + JSON.stringify(first) + ';import ' + JSON.stringify(String(url)) + ';'), options);
    }
  };
}`;

test('the loss of a device is an error, and no proof', async () => {
  // The device goes while a proof is made.
  const script = `{
    const { submit } = GPUQueue.prototype;
    const { requestDevice } = GPUAdapter.prototype;
    let device, left = Infinity;
    addEventListener('message', ({ data }) => { if (data.name === 'prove') left = 1; });
    GPUAdapter.prototype.requestDevice = async function (...given) { return (device = await requestDevice.apply(this, given)); };
    GPUQueue.prototype.submit = function (...given) { if (--left === 0) device.destroy(); return submit.apply(this, given); };
  }`;
  const key = "({ loadKey }, at) => loadKey(at + '/circuit.zkey', { device: 'wgpu', multiples: false })";
  const proofs = `async (web, at) => {
    const key = await (${key})(web, at);
    await key.prove(at + '/witness.wtns');
  }`;
  const [found] = await errorsOf([proofs], { before: inWorkers(script) });
  assert.match(found, /^CurvesmithError device: /);
});

test('where WebAssembly cannot wait, the CPU is left', async () => {
  const script = 'delete WebAssembly.Suspending; delete WebAssembly.promising';
  const found = await inPage(async ({ devices, groth16, loadKey }, folder) => {
    const key = await loadKey(`${folder}/circuit.zkey`);
    const { proof, publicSignals } = await key.prove(`${folder}/witness.wtns`);
    const refused = await loadKey(`${folder}/circuit.zkey`, { device: 'wgpu' }).catch((error) => `${error.code}: ${error.message}`);
    const listed = (await devices()).map(({ name, usable }) => `${name} ${usable}`);
    return { device: key.device, valid: await groth16.verify(key.verificationKey, publicSignals, proof), refused, listed };
  }, MULT, { before: inWorkers(script) });
  assert.deepEqual([found.device, found.valid, found.listed], ['cpu', true, ['auto true', 'wgpu false', 'cpu true']]);
  assert.match(found.refused, /^device: wgpu: this browser has no JavaScript Promise Integration/);
});

test('a browser without an adapter says so, and the CPU proves', async () => {
  const without = await launch({ webgpu: false });
  try {
    const found = await inPage(async ({ devices, loadKey }, folder) => {
      const listed = Object.fromEntries((await devices()).map(({ name, description }) => [name, description]));
      const refused = await loadKey(`${folder}/circuit.zkey`, { device: 'wgpu' }).catch((error) => error.code);
      const key = await loadKey(`${folder}/circuit.zkey`);
      const { publicSignals } = await key.prove(`${folder}/witness.wtns`);
      return { listed, refused, device: key.device, signals: publicSignals.length };
    }, MULT, { context: without });
    assert.match(found.listed.wgpu, /the browser shows no adapter/);
    assert.deepEqual([found.refused, found.device, found.signals], ['device', 'cpu', 3]);
  } finally {
    await without.close();
  }
});

test('a file that the tab has no memory for is refused', async () => {
  const [found] = await errorsOf([
    `({ loadKey }) => {
      // Five times the same GiB, which the browser keeps once.
      const part = new Blob([new Uint8Array(1 << 20)]);
      const large = new Blob(Array(5 << 10).fill(part));
      return loadKey(large, { device: 'cpu' });
    }`,
  ]);
  assert.match(found, /^CurvesmithError internal: the tab has no memory for 5368709120 bytes more$/);
});
