import curvesmith from './index.js';

export const { groth16, loadKey, calculateWitness, curves, devices, Key, CurvesmithError } = curvesmith;
