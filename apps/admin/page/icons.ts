import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { brand, logoUrl } from '@case-platform/lib/brand';
import { type Html, html, trustedHtml } from '@case-platform/lib/html';

const require = createRequire(import.meta.url);
const FOLDER = new URL('./icons/', pathToFileURL(require.resolve('lucide-static/package.json')));

const NAMES = [
  'arrow-down',
  'arrow-left',
  'arrow-up',
  'briefcase-medical',
  'building-2',
  'circle-alert',
  'circle-check',
  'cloud-off',
  'compass',
  'copy',
  'download',
  'printer',
  'ellipsis',
  'eye',
  'file-text',
  'house',
  'image',
  'inbox',
  'info',
  'key-round',
  'layout-dashboard',
  'log-out',
  'mail',
  'mail-check',
  'messages-square',
  'monitor',
  'moon',
  'paperclip',
  'plus',
  'search',
  'send',
  'shield-check',
  'shield-off',
  'smartphone',
  'bell',
  'sun',
  'user-round',
  'users',
  'pencil',
  'flag',
  'calendar-clock',
  'hand-coins',
  'circle-x',
  'landmark',
  'user-plus',
  'chevron-right',
  'keyboard',
  'lock',
  'rotate-ccw',
] as const;

export type IconName = (typeof NAMES)[number];

const icons = new Map<IconName, Html>(NAMES.map((name) => [name, readIcon(name)]));

/** The mark of the product: two leaves under one arc. */
const PRODUCT_MARK = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  aria-hidden="true"
>
  <path d="M3.5 13.5a8.5 8.5 0 0 1 17 0"/>
  <path d="M12 20.5c-3.6 0-5.5-2.2-5.5-5.6 3.4 0 5.5 2 5.5 5.6Z" fill="currentColor" stroke-linejoin="round"/>
  <path d="M12 20.5c0-3.6 2.1-5.6 5.5-5.6 0 3.4-1.9 5.6-5.5 5.6Z" stroke-linejoin="round"/>
</svg>`;

/** The logo and the name of the company (BRAND-1). */
export function brandLine(): Html {
  const logo = logoUrl();
  return html`${logo === null ? PRODUCT_MARK : html`<img src="${logo}" alt="">`}${brand().name}`;
}

/** An icon as inline SVG. It is hidden from screen readers: there is always a word beside it. */
export function icon(name: IconName): Html {
  return icons.get(name) ?? html``;
}

function readIcon(name: string): Html {
  const file = readFileSync(new URL(`${name}.svg`, FOLDER), 'utf8');
  const shapes = file.slice(file.indexOf('>', file.indexOf('<svg')) + 1, file.lastIndexOf('</svg>'));
  const compact = shapes.replaceAll(/\s+/g, ' ').trim();
  return html`<svg
    width="20"
    height="20"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${trustedHtml(compact)}
  </svg>`;
}
