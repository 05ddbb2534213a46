import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { ROOT } from '../checkout/checkout.mjs';

/**
 * Draws the icons of both applications from the product's mark (apps/web/look/brand.tsx).
 * Run by hand after a change of the mark: node scripts/generate/make-icons.mjs
 */

const GROUND = '#0d555b';
const INK = '#fbf8f3';
/** The mark's own square is 24 units wide. A mask may cut away all but a circle of 80%, so that the mark stays inside it. */
const PLAIN = { rounded: true, share: 0.62 };
const MASKED = { rounded: false, share: 0.5 };

const ICONS = [
  { file: 'web/public/icon-192.png', size: 192, ...PLAIN },
  { file: 'web/public/icon-512.png', size: 512, ...PLAIN },
  { file: 'web/public/icon-maskable-512.png', size: 512, ...MASKED },
  { file: 'web/public/apple-touch-icon.png', size: 180, ...MASKED, share: 0.58 },
  { file: 'admin/assets/apple-touch-icon.png', size: 180, ...MASKED, share: 0.58 },
];

for (const { file, size, rounded, share } of ICONS) {
  const png = await sharp(Buffer.from(drawing(size, rounded, share)))
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
  await writeFile(join(ROOT, 'apps', file), png);
}

/**
 * @param {number} size
 * @param {boolean} rounded
 * @param {number} share
 */
function drawing(size, rounded, share) {
  const scale = (size * share) / 24;
  const shift = (size - 24 * scale) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <rect width="${size}" height="${size}" rx="${rounded ? size * 0.22 : 0}" fill="${GROUND}"/>
    <g transform="translate(${shift} ${shift}) scale(${scale})" fill="none" stroke="${INK}" stroke-width="2" stroke-linecap="round">
      <path d="M3.5 13.5a8.5 8.5 0 0 1 17 0"/>
      <path d="M12 20.5c-3.6 0-5.5-2.2-5.5-5.6 3.4 0 5.5 2 5.5 5.6Z" fill="${INK}" stroke-linejoin="round"/>
      <path d="M12 20.5c0-3.6 2.1-5.6 5.5-5.6 0 3.4-1.9 5.6-5.5 5.6Z" stroke-linejoin="round"/>
    </g>
  </svg>`;
}
