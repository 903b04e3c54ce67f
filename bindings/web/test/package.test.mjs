// The package as npm installs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const folder = path.dirname(require.resolve('curvesmith-web/package.json'));
const manifest = require('curvesmith-web/package.json');

test('the package has licences and types, runs no script, and is small', () => {
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.license, 'MIT OR Apache-2.0');
  for (const file of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'THIRD-PARTY.txt', 'lib/index.d.ts']) {
    assert.ok(fs.existsSync(path.join(folder, file)), file);
  }
  assert.ok(!fs.existsSync(path.join(folder, 'test')));
  assert.match(fs.readFileSync(path.join(folder, 'THIRD-PARTY.txt'), 'utf8'), /wasm-bindgen/);
  const { size } = fs.statSync(path.join(folder, 'lib/curvesmith_web_bg.wasm'));
  console.log(`${size} bytes of WebAssembly`);
  assert.ok(size < 6 << 20);
});

test('types hold', () => {
  const tsc = require.resolve('typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'node16', '--moduleResolution', 'node16'];
  const check = (file) => {
    const place = new URL(file, import.meta.url).pathname;
    const lib = ['--lib', 'es2022,dom,esnext.disposable'];
    return spawnSync(process.execPath, [tsc, ...options, ...lib, place], { encoding: 'utf8' });
  };
  const right = check('user.mts');
  assert.deepEqual([right.stdout, right.status], ['', 0]);
  const wrong = check('wrong.mts');
  const lines = wrong.stdout.split('\n').filter((line) => line.includes('error TS'));
  // Each of its lines that says so, and no other.
  const source = fs.readFileSync(new URL('wrong.mts', import.meta.url), 'utf8').split('\n');
  const expected = source.flatMap((line, at) => (line.endsWith('// wrong') ? [at + 1] : []));
  assert.deepEqual(lines.map((line) => Number(/\((\d+),/.exec(line)[1])), expected, wrong.stdout);
});
