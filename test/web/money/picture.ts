import { join } from 'node:path';
import sharp from 'sharp';
import type { WatchedPage } from '../../support/stack/arrive.ts';

/** Saves a screenshot for docs/screens.md if the run names a folder: `PICTURES=docs/images npm test -- …`. */
export async function keepPicture(page: WatchedPage, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  await page.evaluate('document.fonts.ready');
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(shot)
    .png({ palette: true, colors: 128, effort: 10 })
    .toFile(join(folder, `payment-${name}.png`));
}
