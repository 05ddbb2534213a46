import type { Page } from 'playwright-core';

const TABS_MOST = 60;
/** Evaluates to the name of the focused element: its label or, without one, its own text. */
const FOCUSED = `(({ activeElement: on }) => on?.ariaLabel ?? on?.labels?.[0]?.innerText ?? on?.innerText ?? '')(document)`;

export async function focusedName(page: Page): Promise<string> {
  return (await page.evaluate<string>(FOCUSED)).trim();
}

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isIt = (focused: string) => (typeof name === 'string' ? focused === name : name.test(focused));
  for (let tabs = 0; tabs < TABS_MOST; tabs++) {
    await page.keyboard.press('Tab');
    if (isIt(await focusedName(page))) return;
  }
  throw new Error(`The Tab key does not lead to "${name}".`);
}
