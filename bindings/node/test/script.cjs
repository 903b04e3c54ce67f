// A script as users of snarkjs have it.
const { groth16 } = require('snarkjs');
const fs = require('node:fs');
const path = require('node:path');

async function main() {
  const folder = path.join(process.env.CURVESMITH_FIXTURES, 'bn128_semaphore20_ceremony');
  const vk = JSON.parse(fs.readFileSync(path.join(folder, 'verification_key.json')));
  const input = {
    secret: '1234567',
    merkleProofLength: 3,
    merkleProofIndex: 5,
    merkleProofSiblings: [11, 22, 33].concat(Array(17).fill(0)),
    message: 4660n,
    scope: -1,
  };
  const made = [
    await groth16.prove(fs.readFileSync(path.join(folder, 'circuit.zkey')), path.join(folder, 'witness.wtns')),
    await groth16.fullProve(input, process.argv[2], path.join(folder, 'circuit.zkey'), null, {}, { singleThread: true }),
    await groth16.fullProve(input, fs.readFileSync(process.argv[2]), path.join(folder, 'circuit.zkey')),
  ];
  for (const { proof, publicSignals } of made) {
    const valid = await groth16.verify(vk, publicSignals, proof);
    const other = await groth16.verify(vk, ['1', ...publicSignals.slice(1)], proof);
    const calldata = JSON.parse(`[${await groth16.exportSolidityCallData(proof, publicSignals)}]`);
    console.log(publicSignals, valid, other, calldata.map((argument) => argument.length), proof.protocol, proof.curve);
  }
  const wrong = await groth16.fullProve({ ...input, secret: 2n ** 253n }, process.argv[2], path.join(folder, 'circuit.zkey')).catch(() => 'refused');
  console.log(wrong);
}

main().then(() => process.exit(0));
