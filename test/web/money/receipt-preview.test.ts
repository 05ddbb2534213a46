import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { arrive, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { says, seen } from './seen.ts';

/** The calls to a server that the scripts and links of the PDF name. */
const calls: string[] = [];
const outside = createServer((request, response) => {
  calls.push(request.url ?? '');
  response.end();
});
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
after(() => outside.close());
const OUTSIDE = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;

const stack = await useRealStack(['admin', 'worker']);

/**
 * Returns a PDF of two black pages whose scripts would run when it is opened, viewed, or clicked, submit a form, and open other
 * addresses. A link and a button cover each page.
 */
function livelyPdf(): Buffer {
  const script = `app.alert('run'); app.launchURL('${OUTSIDE}/script', true); this.submitForm('${OUTSIDE}/form');`;
  const run = `<< /S /JavaScript /JS (${script.replaceAll(/[\\()]/g, '\\$&')}) >>`;
  const box = '[0 0 612 792]';
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents 5 0 R /Annots [6 0 R 7 0 R] /AA << /O ${run} >> >>`;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${run} /AcroForm << /Fields [7 0 R] >>
      /Names << /JavaScript << /Names [(first) ${run}] >> >> >>`,
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    page,
    page,
    '<< /Length 19 >>\nstream\n0 0 612 792 re f   \nendstream',
    `<< /Type /Annot /Subtype /Link /Rect ${box} /A << /S /URI /URI (${OUTSIDE}/link) >> >>`,
    `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (b) /Rect ${box} /A ${run} >>`,
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`);
  const offsets = body.map((_, at) => `%PDF-1.7\n${body.slice(0, at).join('')}`.length);
  const file = `%PDF-1.7\n${body.join('')}`;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const end = `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>`;
  return Buffer.from(`${file}${end}\nstartxref\n${file.length}\n%%EOF\n`, 'latin1');
}

/** Checks that the whole receipt is visible next to the decision on a wide window, and above it on a phone. */
async function assertBesideDecision(page: WatchedPage): Promise<void> {
  const boxOf = async (element: Locator) => (await element.boundingBox()) ?? assert.fail('it is not shown');
  const receipt = page.locator('.receipt-page').first();
  const shape = await receipt.evaluate((canvas) => Number(canvas.width) / Number(canvas.height));
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    const [paper, approve] = [await boxOf(receipt), await boxOf(page.getByRole('button', { name: /^Approve/ }))];
    const [section, decision] = [
      await boxOf(page.getByRole('region', { name: 'Receipts' })),
      await boxOf(page.locator('.notice', { hasText: 'waiting for your decision' })),
    ];
    if (viewport.width < 1024) assert.ok(section.y + section.height <= decision.y, 'above');
    else assert.ok(section.x + section.width <= decision.x && Math.abs(section.y - decision.y) < 64, 'beside');
    assert.ok(paper.y + paper.height <= approve.y || paper.x + paper.width <= approve.x, 'nothing overlaps');
    assert.ok(Math.abs(paper.width / paper.height / shape - 1) < 0.02, 'it keeps its shape');
    assert.ok(paper.x >= section.x && paper.x + paper.width <= section.x + section.width, 'nothing is cut off');
    assert.ok(section.x >= 0 && section.x + section.width <= viewport.width, 'it fits the window');
  }
}

test('[UPLOAD-10] the pages of a PDF receipt are drawn beside the request and its decision, and nothing in it is executed', async () => {
  // Requests of a page that a service worker controls would bypass the routes that the tests set up.
  const page = await arrive(stack, 'surrogate', { path: null, serviceWorkers: 'block' });
  const made = await page.request.post(`${stack.webUrl}/api/cases/1/disbursements`, {
    data: { amount_cents: 4_200, category: 'Travel', description: 'Parking at the clinic' },
  });
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const address = `${stack.webUrl}/disbursements/${(await made.json()).id}`;
  await page.goto(address);
  const receipt = { name: 'Lively.pdf', mimeType: 'application/pdf', buffer: livelyPdf() };
  await page.locator('main input[type="file"]').setInputFiles(receipt);
  const pages = page.locator('.receipt-page');
  await eventually('both pages are drawn', async () => (await pages.count()) === 2);
  for (const number of [1, 2]) await seen(page.getByRole('img', { name: `Page ${number} of 2` })).waitFor();
  const isBlack = (at: number) =>
    page.evaluate<boolean>(`((canvas) =>
      String(canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data) === '0,0,0,255'
    )(document.querySelectorAll('.receipt-page')[${at}])`);
  assert.deepEqual([await isBlack(0), await isBlack(1)], [true, true]);

  // Only the pictures of the pages are there, without links and fields.
  const inside = page.locator('.receipt-pages');
  assert.equal(await inside.locator(':not(canvas)').count(), 0);
  await pages.first().click();
  await pages.last().click();
  assert.equal(page.url(), address);
  assert.equal(page.context().pages().length, 1, 'no window has opened');
  assert.deepEqual([dialogs, calls, page.faults], [[], [], []]);

  // The person who decides sees it beside the decision.
  assert.equal((await page.request.post(`${stack.webUrl}/api${new URL(address).pathname}/submit`, { data: {} })).status(), 200);
  const parent = await arrive(stack, 'parent', { path: new URL(address).pathname });
  await eventually('both pages are drawn', async () => (await parent.locator('.receipt-page').count()) === 2);
  await assertBesideDecision(parent);
  await parent.context().close();

  // A file that is not a PDF gets a message, and it can still be opened.
  let isRequested = false;
  await page.route('**/*.pdf*', (route) => {
    isRequested = true;
    return route.fulfill({ contentType: 'application/pdf', body: 'not a PDF' });
  });
  await page.reload();
  await says(page.getByRole('region', { name: 'Receipt: Lively.pdf' }).locator('p'), 'We can’t show this PDF here');
  assert.ok(isRequested, 'the message is about the file that was loaded');
  await seen(page.getByRole('link', { name: 'Lively.pdf' })).waitFor();
  await page.context().close();
});
