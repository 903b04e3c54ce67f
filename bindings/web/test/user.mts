import { CurvesmithError, devices, groth16, loadKey } from 'curvesmith-web';
import type { ErrorCode, Groth16Proof, Key, ProofResult, PublicSignals, Stage, Step } from 'curvesmith-web';

const controller = new AbortController();
const steps: Step[] = [];
const { proof, publicSignals }: ProofResult = await groth16.prove('circuit.zkey', new Uint8Array(8));
const a: Groth16Proof = proof;
const signals: PublicSignals = publicSignals;
const valid: boolean = await groth16.verify(JSON.parse('{}'), signals, a, console);
await groth16.prove({ type: 'mem', data: new ArrayBuffer(1) }, new Blob([]), null, { device: 'wgpu', singleThread: true });
await groth16.prove(new URL('https://example.org/k'), 'w', undefined, { signal: controller.signal, onProgress: (step) => steps.push(step) });

const key: Key = await loadKey(new File([], 'k'), { device: 'cpu', trustKey: true, signal: AbortSignal.timeout(5) });
using other = await loadKey('other');
const { stages } = await key.prove('w', { signal: controller.signal });
const [first]: Stage[] = stages;
const numbers: number[] = [key.wires, key.publicInputs, first!.milliseconds];
const names: readonly string[] = [key.curve, key.device, ...other.weaknesses, (await devices())[0]!.name];
key.free();

try {
  await key.prove('w');
} catch (error) {
  if (error instanceof CurvesmithError) {
    const code: ErrorCode = error.code;
    console.log(code, valid, numbers, names);
  }
}
