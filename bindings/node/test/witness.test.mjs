// Witnesses by programs of circom, and their proofs, judged by snarkjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as snarkjs from 'snarkjs';
import { calculateWitness, groth16, loadKey } from 'curvesmith';
import { mult, multProgram, semaphore, temporary } from './fixtures.mjs';

const wasm = await multProgram();
const quiet = {};

test('the witness of a program of circom is that of snarkjs', async () => {
  const { input, wasm: program } = semaphore;
  const inputs = [
    input,
    { ...input, secret: '1234567', scope: '0x2a', message: -1 },
    { ...input, merkleProofSiblings: [[11, [22], new Uint8Array([33])], Array(17).fill('0')], merkleProofLength: '3' },
  ];
  for (const each of inputs) {
    const ours = await calculateWitness(each, program, { sanityCheck: true });
    const theirs = { type: 'mem' };
    // What snarkjs does not take.
    const taken = { ...each, merkleProofSiblings: each.merkleProofSiblings.flat(3).flatMap((n) => (ArrayBuffer.isView(n) ? [...n] : [n])) };
    await snarkjs.wtns.calculate(taken, program, theirs);
    assert.deepEqual(Buffer.from(ours), Buffer.from(theirs.data));
  }
});

test('snarkjs accepts proofs from inputs', async () => {
  const { input, wasm: program, zkey, vk } = semaphore;
  const key = await loadKey(zkey);
  const made = [
    await groth16.fullProve(input, temporary('circuit.wasm', program), zkey),
    await key.fullProve(input, { type: 'mem', data: program }, { sanityCheck: true }),
    ...(await Promise.all([...Array(6)].map((_, scope) => key.fullProve({ ...input, scope }, program)))),
  ];
  for (const { proof, publicSignals } of made) {
    assert.equal(await snarkjs.groth16.verify(vk, publicSignals, proof), true);
    assert.equal(await groth16.verify(vk, publicSignals, proof), true);
  }
  assert.deepEqual(made.slice(2).map(({ publicSignals }) => publicSignals[3]), ['0', '1', '2', '3', '4', '5']);
  const small = await groth16.fullProve({ a: '3', b: 11n }, wasm, mult.zkey, quiet);
  assert.deepEqual(small.publicSignals, mult.publicSignals);
  assert.equal(await snarkjs.groth16.verify(mult.vk, small.publicSignals, small.proof), true);
});

test("the circuit's log goes to the logger", async () => {
  const lines = [];
  await calculateWitness({ a: 3, b: 11 }, wasm, { logger: { info: (line) => lines.push(line) } });
  assert.deepEqual(lines, ['the product is 33']);
});

test('inputs that are missing, unknown, too many or no integers are named', async () => {
  const wrong = [
    [{ a: 3 }, '1 of 2 input values are given, by the signals a; others are missing'],
    [{}, '0 of 2 input values are given, by the signals none; others are missing'],
    [{ a: 3, b: 11, c: 1 }, 'the circuit has no input signal c'],
    [{ a: 3, b: [11, 12] }, 'signal b has 2 values, the circuit takes 1'],
    [{ a: 3, b: [] }, 'signal b has 0 values, the circuit takes 1'],
    [{ a: 3, b: { x: 11 } }, 'the circuit has no input signal b.x'],
    [{ a: 3, b: [{ x: 11 }, { x: 12 }] }, 'the circuit has no input signal b[0].x'],
    [{ a: 3, b: 1.5 }, /^signal b is a number that is no integer, expected/],
    [{ a: 3, b: 2 ** 60 }, /^signal b is a number above 2\^53, which is not exact, expected/],
    [{ a: 3, b: null }, /^signal b is null, expected/],
    [{ a: 3, b: undefined }, /^signal b is undefined, expected/],
    [{ a: 3, b: '' }, /^signal b is an empty string, expected/],
    [{ a: 3, b: 'eleven' }, /^signal b is a string that is neither decimal nor hexadecimal with 0x, expected/],
    [{ a: 3, b: 0 }, 'the circuit refuses its inputs: an assertion of the circuit does not hold: Error in template Mult line: 5'],
    [{ a: 3, b: mult21888() }, /^the circuit refuses its inputs: an assertion/],
    [{ a: 3, b: 78 }, /^the program of the circuit failed: unreachable/],
    [[3, 11], 'the inputs are an array, expected an object with the values of each signal'],
    [null, 'the inputs are null, expected an object with the values of each signal'],
  ];
  for (const [input, message] of wrong) {
    await assert.rejects(calculateWitness(input, wasm, { logger: quiet }), { code: 'input', message });
  }
  const { input, wasm: program, zkey } = semaphore;
  await assert.rejects(groth16.fullProve({ ...input, foo: 1 }, program, zkey), { message: 'the circuit has no input signal foo' });
  const { secret, ...others } = input;
  await assert.rejects(groth16.fullProve(others, program, zkey), { message: /^24 of 25 input values are given, by the signals merkleProofLength, / });
  await assert.rejects(groth16.fullProve({ ...input, secret: secret << 240n }, program, zkey), {
    code: 'input',
    message: /assertion of the circuit does not hold: Error in template Num2Bits_0 line: 38 .*Semaphore_90 line: 42|Num2Bits_0 line: 38: .*Semaphore_90 line: 42/,
  });
});

/** The prime of BN254's scalars: 0, as an input. */
function mult21888() {
  return 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
}

test('programs that are none of circom are refused', async () => {
  const emptyModule = Buffer.from('0061736d01000000', 'hex');
  const foreign = Buffer.from('0061736d0100000001040160000002090103656e7601660000', 'hex');
  const wrong = [
    [emptyModule, /^wasm: it has no function init/],
    [foreign, /^wasm: it imports env\.f, which no program of circom 2 does/],
    [Buffer.from('not wasm'), /^wasm: /],
    ['/no/such/circuit.wasm', /ENOENT/],
    [wasm.subarray(0, 200), /^wasm: /],
  ];
  for (const [program, message] of wrong) {
    await assert.rejects(calculateWitness({ a: 3, b: 11 }, program), { code: 'input', message });
  }
});
