import { pdfText } from '../../support/pdf-text.ts';
import type { WatchedPage } from '../../support/stack/arrive.ts';

/** A statement in its three forms: the page, the CSV, and the text of the PDF. */
export interface ReadStatement {
  /** For each line about the request on the page, the amount and, if the page has one, the balance after it. */
  lines: string[][];
  /** The figures above the table. */
  figures: string[];
  /** For each line about the request in the CSV, the amount and the balance or state. */
  csv: string[][];
  pdf: string;
}

/** Opens a statement and downloads both of its files by the links of its page. */
export async function readStatement(page: WatchedPage, address: string, requestId: number): Promise<ReadStatement> {
  await page.goto(address);
  const table = page.locator('main .statement-table').filter({ visible: true }).first();
  await table.waitFor();
  const rows = await table.locator('tr', { has: page.locator(`a[href="/disbursements/${requestId}"]`) }).all();
  const lines = await Promise.all(rows.map(async (row) => (await row.locator('td').allTextContents()).slice(2)));
  const figures = await page.locator('main dl dd').filter({ visible: true }).allTextContents();
  const csv = (await takeFile(page, 'csv')).toString('utf8').trim().split('\r\n');
  const pdf = pdfText(await takeFile(page, 'pdf'));
  const header = csv[0]?.split(',') ?? [];
  // Counted from the end, because a description may contain commas.
  const fromEnd = header.indexOf('Request') - header.length;
  const cells = csv.map((line) => line.split(',')).filter((line) => line.at(fromEnd) === String(requestId));
  return { lines, figures, csv: cells.map((line) => line.slice(fromEnd - 2, fromEnd)), pdf };
}

async function takeFile(page: WatchedPage, format: 'csv' | 'pdf'): Promise<Buffer> {
  const link = page.locator(`main a[href*="format=${format}"]`).filter({ visible: true }).first();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
