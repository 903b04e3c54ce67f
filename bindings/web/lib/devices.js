import { CurvesmithError, inputError, kindOf } from './errors.js';
import { Service } from './service.js';

/** Devices by name, with what they are or why they cannot be used. */
export async function devices() {
  const service = new Service();
  try {
    return await service.call('devices');
  } finally {
    service.end(new CurvesmithError('internal', 'the worker has ended'));
  }
}

/** The device of a call: the one it names, or the best one. */
export function deviceOf(name) {
  const device = name ?? 'auto';
  if (typeof device !== 'string') throw inputError(`device is ${kindOf(device)}, expected a name, such as "cpu" or "wgpu"`);
  return device;
}
