import type { Page } from 'playwright-core';

const TABS_MOST = 60;
/** The name of what has the focus: its label's, else its own words. */
const FOCUSED = `(({ activeElement: on }) => on?.ariaLabel ?? on?.labels?.[0]?.innerText ?? on?.innerText ?? '')(document)`;

/** The name of what has the focus. */
export async function focusedName(page: Page): Promise<string> {
  return (await page.evaluate<string>(FOCUSED)).trim();
}

/** Goes on by the Tab key until the focus is on what has this name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < TABS_MOST; tabs++) {
    await page.keyboard.press('Tab');
    if ((await focusedName(page)) === name) return;
  }
  throw new Error(`The Tab key does not lead to "${name}".`);
}
