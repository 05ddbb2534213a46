import { join } from 'node:path';
import sharp from 'sharp';
import type { WatchedPage } from '../../support/stack/arrive.ts';

/** Keeps what is seen now as a picture for docs/screens.md, where the folder for it is named: `PICTURES=docs/images npm test -- …`. */
export async function keepPicture(page: WatchedPage, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  await page.evaluate('document.fonts.ready');
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(shot)
    .png({ palette: true, colors: 128, effort: 10 })
    .toFile(join(folder, `payment-${name}.png`));
}
