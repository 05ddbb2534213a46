import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BANK, gather, openDesk, step } from '../admin/batches/batches-desk.ts';
import { openBrowser, openPage } from '../support/browser.ts';

const desk = await openDesk();
const { admin, root, finance } = desk;

const context = await openBrowser({ viewport: { width: 390, height: 844 } });
await context.addCookies([...root.cookies].map(([name, value]) => ({ name, value, url: admin.baseUrl })));
const page = await openPage(context);

test('[decisions 8] on a phone a batch shows the step that it is at, and its fingerprint can be copied', async () => {
  await desk.putAccount(desk.surrogate);
  const path = await gather(finance, [await desk.approved()]);
  const current = page.locator('.stepper-step[aria-current=step]');
  const isWhole = () =>
    current.evaluate((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return (
        width > 20 &&
        left >= 0 &&
        right <= element.ownerDocument.documentElement.clientWidth &&
        element.scrollWidth <= element.clientWidth + 1
      );
    });

  await page.goto(admin.baseUrl + path);
  assert.equal(await current.innerText(), 'Made');
  assert.ok(await isWhole(), 'the first step');

  await step(root, path, 'approve');
  await root.post('/batches/bank', BANK);
  await step(finance, path, 'generate');
  await page.goto(admin.baseUrl + path);
  assert.equal(await current.innerText(), 'File signed');
  assert.ok(await isWhole(), 'a step in the middle');

  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: /Copied|Press Ctrl\+C/ }).waitFor();
  assert.deepEqual(page.faults, []);
});
