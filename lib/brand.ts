import { readFileSync, statSync } from 'node:fs';
import { createReader, type Environment } from './config/read-settings.ts';
import { cleanLine } from './text/human-text.ts';

/** The company as people see it on pages, in mails and texts, and in PDFs (BRAND-1). */
export interface Brand {
  name: string;
  /** The lines of its address; none if no address is set. */
  address: readonly string[];
  /** Its license, as it is printed under the address. */
  license: string | null;
  logo: Logo | null;
}

interface Logo {
  type: 'image/png' | 'image/jpeg';
  bytes: Buffer;
}

/** The paths at which browsers look for an icon by themselves; with a logo, that is the icon. */
export const ICON_PATHS = ['/favicon.ico', '/apple-touch-icon.png'] as const;

const DEFAULT_NAME = 'Case Platform';
const NAME_MAX = 60;
const LINE_MAX = 200;
/** Small enough to be part of a page. */
const LOGO_MAX_BYTES = 64 * 1024;

/**
 * Reads the brand from the settings `BRAND_NAME`, `BRAND_ADDRESS` (with `|` between its lines), `BRAND_LICENSE`, and `BRAND_LOGO`
 * (the path of a PNG or JPEG file).
 * @param problems gets what is wrong, by name and never by value.
 */
export function readBrand(environment: Environment, problems: string[]): Brand {
  const read = createReader(['web', 'api', 'admin', 'worker'], environment, problems);
  const name = read.text('BRAND_NAME', DEFAULT_NAME);
  const lines = (read.optional('BRAND_ADDRESS') ?? '').split('|').map(cleanLine);
  const address = lines.filter((line) => line !== '');
  const license = read.optional('BRAND_LICENSE') ?? null;
  if (name.length > NAME_MAX) problems.push(`BRAND_NAME is longer than ${NAME_MAX} characters.`);
  if (address.length > 4 || address.some((line) => line.length > LINE_MAX))
    problems.push(`BRAND_ADDRESS has up to 4 lines of ${LINE_MAX} characters, with | between them.`);
  if ((license ?? '').length > LINE_MAX) problems.push(`BRAND_LICENSE is longer than ${LINE_MAX} characters.`);
  return { name, address, license, logo: readLogo(read.optional('BRAND_LOGO'), problems) };
}

function readLogo(path: string | undefined, problems: string[]): Logo | null {
  if (path === undefined) return null;
  try {
    if (statSync(path).size <= LOGO_MAX_BYTES) {
      const bytes = readFileSync(path);
      const type =
        bytes.subarray(1, 4).toString() === 'PNG' ? 'image/png' : bytes[0] === 0xff && bytes[1] === 0xd8 ? 'image/jpeg' : null;
      if (type !== null) return { type, bytes };
    }
  } catch {
    // Reported below.
  }
  problems.push(`BRAND_LOGO must name a PNG or JPEG file of at most ${LOGO_MAX_BYTES / 1024} KiB.`);
  return null;
}

let current: Brand | undefined;

/** The brand of this process. Its problems were reported when the process read its settings. */
export function brand(): Brand {
  current ??= readBrand(process.env, []);
  return current;
}

/** Replaces the brand of this process. For tests. */
export function setBrand(next: Brand | undefined): void {
  current = next;
}

/** The logo as an address that needs no request; null without a logo. */
export function logoUrl(): string | null {
  const { logo } = brand();
  return logo === null ? null : `data:${logo.type};base64,${logo.bytes.toString('base64')}`;
}
