import 'server-only';
import { isEarlier, parseSnapshot } from '@case-platform/words/live/snapshots';
import { cache } from 'react';

/** Of the page being rendered. */
const rendering = cache((): { asOf: string | undefined } => ({ asOf: undefined }));

/** Notes as of when an answer of the API was read, which a page is rendered from. */
export function noteSnapshot(text: string | null): void {
  const read = parseSnapshot(text ?? '');
  if (text === null || read === null) return;
  const page = rendering();
  const known = parseSnapshot(page.asOf ?? '');
  if (known === null || isEarlier(read, known)) page.asOf = text;
}

/** What the page shows at least, by the answers that it has had so far: the earliest of them. */
export function renderedAsOf(): string | undefined {
  return rendering().asOf;
}
