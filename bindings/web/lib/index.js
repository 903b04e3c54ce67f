// Proofs in a web page.

export { CurvesmithError } from './errors.js';
export { groth16 } from './groth16.js';
export { Key, loadKey } from './key.js';
export { devices } from './devices.js';
