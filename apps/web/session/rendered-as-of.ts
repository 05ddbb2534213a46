import 'server-only';
import { isEarlier, parseSnapshot } from '@case-platform/words/live/snapshots';
import { cache } from 'react';

/** The snapshot of the page that is being rendered. */
const rendering = cache((): { asOf: string | undefined } => ({ asOf: undefined }));

/** Records the snapshot of an API answer that the page uses. */
export function noteSnapshot(text: string | null): void {
  const snapshot = parseSnapshot(text ?? '');
  if (text === null || snapshot === null) return;
  const page = rendering();
  const earliest = parseSnapshot(page.asOf ?? '');
  if (earliest === null || isEarlier(snapshot, earliest)) page.asOf = text;
}

/** Returns the earliest snapshot of the answers so far: the page contains at least the changes up to it. */
export function renderedAsOf(): string | undefined {
  return rendering().asOf;
}
