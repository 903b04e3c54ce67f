import { CurvesmithError, calculateWitness, curves, devices, groth16, loadKey } from 'curvesmith';
import type { ErrorCode, Groth16Proof, Key, ProofResult, PublicSignals } from 'curvesmith';

const controller = new AbortController();
const { proof, publicSignals }: ProofResult = await groth16.prove('circuit.zkey', new Uint8Array(8));
const a: Groth16Proof = proof;
const signals: PublicSignals = publicSignals;
const valid: boolean = await groth16.verify(JSON.parse('{}'), signals, a, console);
await groth16.prove({ type: 'mem', data: Buffer.alloc(1) }, { type: 'file', fileName: 'w' }, null, { device: 'cuda:1', singleThread: true });
await loadKey('circuit.zkey', { device: 'wgpu:1' });
const input = { a: 1, b: 2n, c: ['3', [4, 5n]], d: new Uint8Array(2), e: { field: [1] }, f: true };
await groth16.fullProve(input, new URL('file:///c.wasm'), 'k', undefined, { sanityCheck: true }, { signal: controller.signal });
const text: string = await groth16.exportSolidityCallData(a, signals);

const key: Key = await loadKey('k', { device: 'cpu', trustKey: true, signal: AbortSignal.timeout(5) });
using other = await loadKey('other');
const batch = await key.proveBatch(['w', new ArrayBuffer(8)]);
for (const result of batch) {
  if (result.status === 'fulfilled') result.value.proof.pi_a satisfies [string, string, string];
}
await key.fullProve(input, 'wasm', { logger: { info: (line) => line.length } });
const numbers: number[] = [key.wires, key.publicInputs];
const names: readonly string[] = [...curves, key.curve, key.device, ...other.weaknesses, (await devices())[0]!.name];
const witness: Uint8Array = await calculateWitness(input, 'wasm');
key.free();

try {
  await key.prove(witness);
} catch (error) {
  if (error instanceof CurvesmithError) {
    const code: ErrorCode = error.code;
    console.log(code, valid, text, numbers, names);
  }
}
