// A browser, a server for its pages, and files for them.

import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { chromium } from 'playwright-core';

const { CURVESMITH_SITE: site, CURVESMITH_FIXTURES: fixtures, CURVESMITH_CHROMIUM: executablePath } = process.env;

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** A page that knows the package by its name. */
const EMPTY = '<!doctype html><script type="importmap">{"imports":{"curvesmith-web":"/package/lib/index.js"}}</script>';

/** Serves the package and the fixtures, each as a folder of its own. */
export async function serve() {
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(EMPTY);
      return;
    }
    const [, folder, ...rest] = path.posix.normalize(pathname).split('/');
    const root = { fixtures, package: site }[folder];
    try {
      const bytes = await readFile(path.join(root, ...rest));
      response.writeHead(200, { 'content-type': TYPES[path.extname(pathname)] ?? 'application/octet-stream' });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://localhost:${server.address().port}` };
}

/** A browser without a screen, with WebGPU on its software adapter unless it is to have none. */
export function launch({ webgpu = true } = {}) {
  // The driver's compiler takes longer than the browser's watchdog lets a real GPU take.
  const gpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--disable-gpu-watchdog'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  // Where tests run as root, the browser's own sandbox cannot.
  const args = ['--no-sandbox', ...quiet, ...(webgpu ? gpu : ['--disable-features=WebGPU'])];
  return chromium.launch({ executablePath, headless: true, args });
}

/** Where a fixture is. */
export const fixturePath = (name) => path.join(fixtures, name);
