'use strict';

const { curves, devices } = require('./lib/devices.js');
const { CurvesmithError } = require('./lib/errors.js');
const { groth16 } = require('./lib/groth16.js');
const { Key, loadKey } = require('./lib/key.js');
const { calculateWitness } = require('./lib/witness.js');

exports.groth16 = groth16;
exports.loadKey = loadKey;
exports.calculateWitness = calculateWitness;
exports.curves = curves;
exports.devices = devices;
exports.Key = Key;
exports.CurvesmithError = CurvesmithError;
