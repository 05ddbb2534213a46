import type { Locator } from 'playwright-core';

/** Returns the first visible match, because streamed content is in the page twice for a moment, once hidden. */
export function seen(matches: Locator): Locator {
  return matches.filter({ visible: true }).first();
}

/** Waits until a part of a page has this text. */
export async function says(part: Locator, words: string | RegExp): Promise<void> {
  await seen(part.filter({ hasText: words })).waitFor();
}
