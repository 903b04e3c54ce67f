// The example: files dropped on a page, a proof, and snarkjs' word on it.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fixturePath, launch, serve } from './browser.mjs';

const { CURVESMITH_SCREENSHOTS: screenshots } = process.env;
let browser, server, origin;
before(async () => {
  ({ server, origin } = await serve());
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Proves the files of a fixture with the page; the page, when it shows a result or an error. */
async function prove(folder, device) {
  const page = await browser.newPage();
  page.on('console', (message) => console.log(`${device}: ${message.text()}`));
  page.on('pageerror', (error) => console.log(`${device}: ${error}`));
  await page.goto(`${origin}/package/example/index.html`);
  await page.waitForSelector('body[data-ready=yes]');
  for (const kind of ['zkey', 'wtns']) {
    const file = kind === 'zkey' ? 'circuit.zkey' : 'witness.wtns';
    await page.setInputFiles(`#${kind}`, fixturePath(`${folder}/${file}`));
  }
  await page.selectOption('#device', device);
  await page.click('#prove');
  await page.waitForSelector('#result:not([hidden]), #failure:not(:empty)', { timeout: 180_000 });
  return page;
}

// A browser without a GPU compiles the kernels for more than a minute; in a short run those of another test are enough.
const devices = process.env.CURVESMITH_TEST_SIZE === 'long' ? ['cpu', 'wgpu'] : ['cpu'];
for (const device of devices) {
  test(`the page proves with the key of a ceremony on ${device}`, async () => {
    const page = await prove('bn128_semaphore20_ceremony', device);
    assert.equal(await page.textContent('#failure'), '');
    assert.equal(await page.textContent('#verdict'), 'valid, say curvesmith and snarkjs');
    console.log(await page.textContent('#what'));
    for (const step of await page.locator('#steps li').allTextContents()) console.log(`${device}: ${step}`);
    if (screenshots) {
      await mkdir(screenshots, { recursive: true });
      await page.screenshot({ path: path.join(screenshots, `page-${device}.png`) });
    }
    await page.close();
  });
}
