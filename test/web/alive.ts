import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/** Waits until React listens to what the server has rendered: what is pressed or chosen earlier may be lost. */
export async function alive(control: Locator): Promise<Locator> {
  await eventually('the page is alive', () => control.evaluate(() => 'hydrated' in globalThis));
  return control;
}
