import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/**
 * Waits until React listens to what the server has rendered, knows what was kept in the browser, and has been given what was
 * tapped before: what is pressed or chosen earlier may be lost.
 */
export async function alive(control: Locator): Promise<Locator> {
  await eventually('the page is alive', () => control.evaluate(() => 'isAtRest' in globalThis));
  return control;
}
