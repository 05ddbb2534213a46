/** The number of bytes at the start that `detectType` needs. */
export const SIGNATURE_BYTES = 1024;

/** The first bytes of a file of each kind. */
const SIGNATURES: readonly [contentType: string, start: string][] = [
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
];
/** The brands of still pictures and sequences (ISO/IEC 23008-12, 10); AVIF has the same structure but is a different type. */
const HEIC_BRANDS: Record<string, string> = {
  heic: 'image/heic',
  heix: 'image/heic',
  hevc: 'image/heic-sequence',
  hevx: 'image/heic-sequence',
  mif1: 'image/heif',
  msf1: 'image/heif-sequence',
};

/**
 * Detects the content type from a file's first bytes; null for anything that is not accepted by its signature. A library that
 * knows every format would walk through the chunks of a file, so only these few are checked.
 */
export function detectType(start: Buffer): string | null {
  const text = start.toString('latin1');
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'image/webp';
  if (text.startsWith('ftyp', 4)) return HEIC_BRANDS[text.slice(8, 12)] ?? null;
  const [contentType] = SIGNATURES.find(([, signature]) => text.startsWith(signature)) ?? [];
  // Readers accept other bytes before the header of a PDF (Adobe PDF Reference 1.7, appendix H, note 13).
  return contentType ?? (text.includes('%PDF-') ? 'application/pdf' : null);
}
