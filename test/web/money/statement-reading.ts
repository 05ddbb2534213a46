import { pdfText } from '../../support/pdf-text.ts';
import type { WatchedPage } from '../../support/stack/arrive.ts';

/** A statement as its reader has it: on the page, as CSV, and the text of its PDF. */
export interface ReadStatement {
  /** Of each line about the request on the page its last cells: the amount, and the balance after it where there is one. */
  lines: string[][];
  /** The figures over the table. */
  figures: string[];
  /** The last cells of each line of the CSV about the request, before its number: the amount, and the balance or the state. */
  csv: string[][];
  pdf: string;
}

/** Opens a statement and takes both of its files, by the links of its page. */
export async function readStatement(page: WatchedPage, address: string, requestId: number): Promise<ReadStatement> {
  await page.goto(address);
  const table = page.locator('main .statement-table').filter({ visible: true }).first();
  await table.waitFor();
  const rows = await table.locator('tr', { has: page.locator(`a[href="/disbursements/${requestId}"]`) }).all();
  const lines = await Promise.all(rows.map(async (row) => (await row.locator('td').allTextContents()).slice(2)));
  const figures = await page.locator('main dl dd').filter({ visible: true }).allTextContents();
  const csv = (await takeFile(page, 'csv')).toString('utf8').trim().split('\r\n');
  const pdf = pdfText(await takeFile(page, 'pdf'));
  const about = csv.map((line) => line.split(',').slice(-3)).filter(([, , id]) => id === String(requestId));
  return { lines, figures, csv: about.map((cells) => cells.slice(0, 2)), pdf };
}

async function takeFile(page: WatchedPage, format: 'csv' | 'pdf'): Promise<Buffer> {
  const link = page.locator(`main a[href*="format=${format}"]`).filter({ visible: true }).first();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
