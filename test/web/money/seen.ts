import type { Locator } from 'playwright-core';

/** The first that can be seen: what comes in a stream stands twice for a moment, once hidden. */
export function seen(found: Locator): Locator {
  return found.filter({ visible: true }).first();
}

/** That a part of a page says this, now or in a moment. */
export async function says(part: Locator, words: string | RegExp): Promise<void> {
  await seen(part.filter({ hasText: words })).waitFor();
}
