// The package as npm installs it.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import * as imported from 'curvesmith';
import { temporary } from './fixtures.mjs';

const require = createRequire(import.meta.url);
const folder = path.dirname(require.resolve('curvesmith/package.json'));
const manifest = require('curvesmith/package.json');

test('import and require give the same', () => {
  const required = require('curvesmith');
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
  for (const [name, value] of Object.entries(required)) assert.equal(imported[name], value, name);
  assert.deepEqual(Object.keys(imported.groth16).sort(), ['exportSolidityCallData', 'fullProve', 'prove', 'verify']);
});

test('the packages have licences and types, and run no script', () => {
  const [platform] = Object.keys(manifest.optionalDependencies);
  const addon = path.dirname(require.resolve(`${platform}/package.json`));
  for (const each of [folder, addon]) {
    const { scripts, version, license } = JSON.parse(fs.readFileSync(path.join(each, 'package.json')));
    assert.equal(scripts, undefined);
    assert.equal(version, manifest.version);
    assert.equal(license, 'MIT OR Apache-2.0');
    for (const file of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) assert.ok(fs.existsSync(path.join(each, file)), `${each}: ${file}`);
  }
  for (const file of ['index.d.ts', 'index.d.mts']) assert.ok(fs.existsSync(path.join(folder, file)), file);
  assert.ok(fs.existsSync(path.join(addon, 'THIRD-PARTY.txt')));
  assert.ok(!fs.existsSync(path.join(folder, 'test')));
});

test('without an addon the platform is named', () => {
  const copy = path.dirname(temporary('package.json', JSON.stringify(manifest)));
  for (const file of ['index.js', 'index.mjs', 'lib']) fs.cpSync(path.join(folder, file), path.join(copy, file), { recursive: true });
  const load = (before) => {
    const { stderr, status } = spawnSync(process.execPath, ['-e', `${before}; require(${JSON.stringify(copy)})`], { encoding: 'utf8' });
    assert.equal(status, 1);
    return stderr;
  };
  const here = `${process.platform}-${process.arch}, Node ${process.version}`;
  assert.match(load(''), new RegExp(`curvesmith has no addon for ${here}: its package \\S+ is not installed`));
  assert.match(load("Object.defineProperty(process, 'arch', { value: 'riscv64' })"), /has no addon for linux-riscv64, .*: there is none for it; there are curvesmith-linux-x64-gnu/);
  // One that cannot be loaded, and one of another version.
  const platform = Object.keys(manifest.optionalDependencies)[0].replace('curvesmith-', '');
  const addon = path.join(copy, `curvesmith.${platform}.node`);
  fs.writeFileSync(addon, 'no library');
  assert.match(load(''), new RegExp(`cannot load its addon on ${here}: `));
  fs.copyFileSync(require.resolve(`curvesmith-${platform}`), addon);
  fs.writeFileSync(path.join(copy, 'package.json'), JSON.stringify({ ...manifest, version: '9.9.9' }));
  assert.match(load(''), new RegExp(`curvesmith 9.9.9 found an addon of version ${manifest.version}: `));
});

test('types hold for who requires, and for who imports', () => {
  const tsc = require.resolve('typescript/bin/tsc');
  const roots = path.dirname(path.dirname(require.resolve('@types/node/package.json')));
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'node16', '--moduleResolution', 'node16'];
  const check = (files) => {
    const places = files.map((file) => new URL(file, import.meta.url).pathname);
    return spawnSync(process.execPath, [tsc, ...options, '--types', 'node', '--typeRoots', roots, ...places], { encoding: 'utf8' });
  };
  const right = check(['user.mts', 'user.cts']);
  assert.deepEqual([right.stdout, right.status], ['', 0]);
  const wrong = check(['wrong.mts']);
  const lines = wrong.stdout.split('\n').filter((line) => line.includes('error TS'));
  // Each of its lines that says so, and no other.
  const source = fs.readFileSync(new URL('wrong.mts', import.meta.url), 'utf8').split('\n');
  const expected = source.flatMap((line, at) => (line.endsWith('// wrong') ? [at + 1] : []));
  assert.deepEqual(lines.map((line) => Number(/\((\d+),/.exec(line)[1])), expected, wrong.stdout);
});

test('the addon needs an old glibc', { skip: process.platform !== 'linux' }, () => {
  const [platform] = Object.keys(manifest.optionalDependencies);
  const text = execFileSync('grep', ['-aoE', 'GLIBC_2\\.[0-9]+', require.resolve(platform)], { encoding: 'utf8' });
  const newest = Math.max(...text.trim().split('\n').map((version) => Number(version.split('.')[1])));
  console.log(`glibc 2.${newest} or newer`);
  assert.ok(newest <= 36, `glibc 2.${newest}`);
});
