'use strict';

const { addon } = require('./native.js');
const { call } = require('./call.js');
const { inputError, kindOf } = require('./errors.js');

/** Names of the curves of this build. */
const curves = Object.freeze(addon.curves());

/** Devices by name, with what they are or why they cannot be used. */
function devices() {
  return call(undefined, (ticket) => addon.devices(ticket));
}

/** The device of a call: the one it names, else that of the environment, else the best one. */
function deviceOf(name) {
  // Read here: the addon's threads may not read what scripts change.
  const device = name ?? (process.env.CURVESMITH_DEVICE || 'auto');
  if (typeof device !== 'string') throw inputError(`device is ${kindOf(device)}, expected a name, such as "cpu", "cuda:0" or "wgpu"`);
  return device;
}

module.exports = { curves, devices, deviceOf };
