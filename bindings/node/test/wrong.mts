import { Key, groth16, loadKey } from 'curvesmith';

groth16.prove('k'); // wrong
groth16.prove(7, 'w'); // wrong
groth16.fullProve({ a: null }, 'wasm', 'k'); // wrong
loadKey('k', { trustkey: true }); // wrong
loadKey('k', { device: 'tpu' }); // wrong
new Key(); // wrong
(await loadKey('k')).prove('w', { device: 'cpu' }); // wrong
(await groth16.prove('k', 'w')).proof.pi_d; // wrong
