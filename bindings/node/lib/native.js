'use strict';

// The addon: beside the package's scripts in a checkout, else in the package of the platform.

const path = require('node:path');
const { CurvesmithError } = require('./errors.js');
const { version, optionalDependencies } = require('../package.json');

/** Names of this platform, as packages have them. A Linux has one C library or the other. */
function platforms() {
  const name = `${process.platform}-${process.arch}`;
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name];
}

function find(platform) {
  const files = [path.join(__dirname, '..', `curvesmith.${platform}.node`), `curvesmith-${platform}`];
  for (const file of files) {
    try {
      return require.resolve(file);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function load() {
  const here = `${process.platform}-${process.arch}, Node ${process.version}`;
  const names = platforms();
  const file = names.map(find).find((found) => found !== undefined);
  if (file === undefined) {
    const built = Object.keys(optionalDependencies);
    const own = names.map((name) => `curvesmith-${name}`).find((name) => built.includes(name));
    const reason = own
      ? `its package ${own} is not installed: install without --omit=optional or --no-optional, on the platform where it runs`
      : `there is none for it; there are ${built.join(', ')}`;
    throw new CurvesmithError('internal', `curvesmith has no addon for ${here}: ${reason}`);
  }
  let addon;
  try {
    addon = require(file);
  } catch (cause) {
    throw new CurvesmithError('internal', `curvesmith cannot load its addon on ${here}: ${cause.message}`, { cause });
  }
  if (addon.version() !== version) {
    throw new CurvesmithError('internal', `curvesmith ${version} found an addon of version ${addon.version()}: ${file}`);
  }
  return addon;
}

const addon = load();

module.exports = { addon, session: addon.open() };
