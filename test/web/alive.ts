import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/**
 * Waits until React listens to what the server has rendered, knows what was kept in the browser, and has been given what was
 * tapped before: what is pressed or chosen earlier may be lost.
 */
export async function alive(control: Locator): Promise<Locator> {
  await eventually('the page is alive', () => control.evaluate(() => 'isAtRest' in globalThis));
  return control;
}

/**
 * Lets time go ahead for a page whose clock is the test's, once the page is alive: its timers begin only then, and what they
 * were to do in the time before never happens.
 * @param time milliseconds, or minutes and seconds as `31:00`
 */
export async function passTime(page: Page, time: number | string): Promise<void> {
  await alive(page.locator('body'));
  await page.clock.fastForward(time);
}
