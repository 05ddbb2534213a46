/** The icons of tabs and of the installed application. `share` is how much of the square the logo fills; masks cut off the edges. */
const ICONS = [
  { path: '/icon-192.png', size: 192, share: 0.84 },
  { path: '/icon-512.png', size: 512, share: 0.84 },
  { path: '/icon-maskable-512.png', size: 512, share: 0.6 },
  { path: '/apple-touch-icon.png', size: 180, share: 0.72 },
  { path: '/favicon.ico', size: 32, share: 1 },
];
const GROUND = '#ffffff';

/** Draws the installed application's icons from the company's logo, by path; none without a logo (BRAND-1). */
export async function drawBrandIcons(logo: { bytes: Buffer } | null): Promise<ReadonlyMap<string, Buffer>> {
  if (logo === null) return new Map();
  const { default: sharp } = await import('sharp');
  const icons = ICONS.map(async ({ path, size, share }): Promise<[string, Buffer]> => {
    const inner = 2 * Math.round((size * share) / 2);
    const edge = (size - inner) / 2;
    const picture = sharp(logo.bytes)
      .resize(inner, inner, { fit: 'contain', background: GROUND })
      .flatten({ background: GROUND });
    const margins = { top: edge, bottom: edge, left: edge, right: edge, background: GROUND };
    return [path, await picture.extend(margins).png().toBuffer()];
  });
  return new Map(await Promise.all(icons));
}
