import curvesmith = require('curvesmith');

async function main(): Promise<string[]> {
  const key: curvesmith.Key = await curvesmith.loadKey(Buffer.alloc(3));
  const { publicSignals } = await curvesmith.groth16.prove('k', 'w');
  return [...publicSignals, key.verificationKey.curve];
}

main();
