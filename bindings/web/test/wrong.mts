import { Key, groth16, loadKey } from 'curvesmith-web';

groth16.prove('k'); // wrong
groth16.prove(7, 'w'); // wrong
groth16.prove('k', 'w', null, { device: 'tpu' }); // wrong
loadKey('k', { devise: 'cpu' }); // wrong
loadKey('k', { trustKey: 1 }); // wrong
new Key(); // wrong
(await loadKey('k')).prove({ type: 'file', fileName: 'w' }); // wrong
