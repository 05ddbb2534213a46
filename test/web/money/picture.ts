import { join } from 'node:path';
import sharp from 'sharp';
import type { WatchedPage } from '../../support/stack/arrive.ts';

/** The folder for the pictures of docs/screens.md; none unless the run names one: `PICTURES=$PWD/docs/images npm test -- …`. */
const FOLDER = process.env.PICTURES;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

/** Saves a picture of the walk of one payment. */
export async function keepPicture(page: WatchedPage, name: string): Promise<void> {
  if (FOLDER !== undefined) await save(FOLDER, page, `payment-${name}`);
}

async function save(folder: string, page: WatchedPage, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(shot)
    .png({ palette: true, colors: 128, effort: 10 })
    .toFile(join(folder, `${name}.png`));
}

/** Saves a page on a phone and on a desktop, light and dark, and leaves it as it was. */
export async function keepLooks(page: WatchedPage, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  const before = page.viewportSize();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await save(FOLDER, page, `${name}-${size.width}-${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
