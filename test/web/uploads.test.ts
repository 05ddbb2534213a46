import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { assertAccessible } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { arrive } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive, passTime } from './alive.ts';

const stack = await useRealStack(['admin']);

const isStorage = (url: URL) => url.origin !== stack.webUrl && url.pathname.endsWith('/');
/** A picture of noise, so that the file is large, with a location in its metadata. */
const photo = await sharp(Buffer.from(Array.from({ length: 900 * 600 * 3 }, (_, at) => (at * 7919) % 253)), {
  raw: { width: 900, height: 600, channels: 3 },
})
  .withExif({ IFD0: { Make: 'Sesame' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
  .jpeg({ quality: 95 })
  .toBuffer();

/** Waits until signing an address again would change it, because the address contains the second in which it was signed. */
async function untilItIsOld(href: string): Promise<void> {
  const [, signedAt = ''] = /X-Amz-Date=(\w+)Z/.exec(href) ?? [];
  await eventually('the next second', () => new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15) > signedAt);
}

test('[UPLOAD-1, UPLOAD-8, FILE-4] a person uploads a picture and a photo ID directly to the storage, whose URLs are renewed in time', async () => {
  // Requests of a page that a service worker controls would bypass the routes that the tests set up.
  const page = await arrive(stack, 'parent', { path: '/profile', serviceWorkers: 'block' });
  const storagePosts: { headers: Record<string, string>; size: number }[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'POST' || request.url().startsWith(stack.webUrl)) return;
    storagePosts.push({ headers: request.headers(), size: 0 });
  });

  // A picture is cropped with the keyboard, sent, shown, and resized by the worker.
  const picture = page.getByRole('region', { name: 'Your picture' });
  await picture.getByLabel('Choose a picture').setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: photo });
  const dialog = page.getByRole('dialog', { name: 'Choose the part to show' });
  await dialog.getByLabel('Zoom').fill('2');
  await dialog.getByRole('img').press('ArrowLeft');
  await assertAccessible(page, 'the crop');
  await dialog.getByRole('button', { name: 'Use this picture' }).click();
  const portrait = picture.getByRole('img', { name: 'Portrait of Paige Whitlock' });
  await portrait.waitFor();
  await picture.locator('img[src*=".256.webp"]').waitFor();
  const src = (await portrait.getAttribute('src')) ?? '';
  const { width, height, exif } = await sharp(Buffer.from(await (await fetch(src)).arrayBuffer())).metadata();
  assert.deepEqual([width, height, exif], [256, 256, undefined]);

  const photoId = page.getByRole('region', { name: 'Your photo ID' });
  const pdf = { name: 'passport.pdf', mimeType: 'application/pdf', buffer: samplePdf('Passport') };
  await photoId.getByLabel('Choose your photo ID').setInputFiles(pdf);
  await photoId.getByRole('link', { name: 'passport.pdf' }).waitFor();
  assert.equal(storagePosts.length, 2);
  for (const { headers } of storagePosts) assert.ok(!('authorization' in headers) && !('cookie' in headers));

  // Everything is still there after a reload, and the address, valid for an hour, is renewed after half an hour, although the
  // servers are away at first.
  await page.clock.install();
  await page.reload();
  const link = photoId.getByRole('link', { name: 'passport.pdf' });
  await link.waitFor();
  const href = (await link.getAttribute('href')) ?? '';
  await untilItIsOld(href);
  await page.route('**/health/ready', (route) => route.fulfill({ status: 503 }), { times: 1 });
  const probe = page.waitForResponse('**/health/ready');
  await passTime(page, '31:00');
  assert.equal((await probe).status(), 503);
  await passTime(page, '01:00');
  await eventually('its address is new', async () => (await link.getAttribute('href')) !== href);

  await picture.getByRole('button', { name: 'Remove' }).click();
  await portrait.waitFor({ state: 'detached' });
  assert.deepEqual(
    page.faults.filter((fault) => !fault.endsWith('/health/ready')),
    [],
  );
  await page.context().close();
});

test('[UPLOAD-10] a receipt that is under way when its request is submitted arrives', async () => {
  const page = await arrive(stack, 'surrogate', { path: null, serviceWorkers: 'block' });
  const data = { amount_cents: 3_350, category: 'Travel', description: 'Train to the clinic' };
  const made = await page.request.post(`${stack.webUrl}/api/cases/1/disbursements`, { data });
  await page.goto(`${stack.webUrl}/disbursements/${(await made.json()).id}`);
  const gate = Promise.withResolvers<void>();
  await page.route(isStorage, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const receipts = page.getByRole('region', { name: 'Receipts' });
  const pdf = { name: 'ticket.pdf', mimeType: 'application/pdf', buffer: samplePdf('Ticket') };
  const storing = page.waitForRequest((request) => isStorage(new URL(request.url())));
  await receipts.getByLabel('Choose a receipt').setInputFiles(pdf);
  await storing;
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Sent for approval').first().waitFor();
  gate.resolve();
  await receipts.getByText('ticket.pdf').waitFor();
  await receipts.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.reload();
  await receipts.getByText('ticket.pdf').waitFor();
  await page.context().close();
});

test('[UPLOAD-10] a document of a case is added and removed', async () => {
  const page = await arrive(stack, 'parent', { path: '/cases/1' });
  const documents = page.getByRole('region', { name: 'Documents' });
  const pdf = { name: 'Addendum.pdf', mimeType: 'application/pdf', buffer: samplePdf('Addendum') };
  await documents.getByLabel('Choose a document').setInputFiles(pdf);
  await documents.getByRole('link', { name: 'Addendum.pdf' }).waitFor();
  await page.reload();
  const link = documents.getByRole('link', { name: 'Addendum.pdf' });
  const href = (await link.getAttribute('href')) ?? '';
  assert.equal((await fetch(href)).status, 200);
  await untilItIsOld(href);
  await alive(link);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await eventually('the address is new after a return', async () => (await link.getAttribute('href')) !== href);
  await documents.getByRole('button', { name: 'Remove Addendum.pdf' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await link.waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
