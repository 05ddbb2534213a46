import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { drawBrandIcons } from './brand-icons.ts';

const pictures = readdirSync(new URL('../public/', import.meta.url)).filter((name) => name.endsWith('.png'));

test('[BRAND-1, PAGE-7] with a logo, every icon of the installed application shows it, in the same size as without', async () => {
  assert.equal((await drawBrandIcons(null)).size, 0);
  const red = await sharp({ create: { width: 90, height: 30, channels: 3, background: '#cc0000' } })
    .png()
    .toBuffer();
  const icons = await drawBrandIcons({ bytes: red });
  assert.deepEqual([...icons.keys()].sort(), [...pictures, 'favicon.ico'].map((name) => `/${name}`).sort());
  for (const [path, icon] of icons) {
    const tab = { width: 32, height: 32 };
    const { width, height } =
      path === '/favicon.ico' ? tab : await sharp(fileURLToPath(new URL(`../public${path}`, import.meta.url))).metadata();
    const { data, info } = await sharp(icon).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [width, height], path);
    const at = (x: number, y: number) => [...data.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3)];
    const middle = Math.floor(info.width / 2);
    assert.deepEqual(
      [at(middle, middle), at(0, 0), at(middle, 2)],
      [
        [204, 0, 0],
        [255, 255, 255],
        [255, 255, 255],
      ],
      path,
    );
  }
});
