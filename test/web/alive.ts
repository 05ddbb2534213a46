import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/**
 * Waits until React has hydrated the page, has read what the browser stores, and has handled earlier taps. A press or a choice
 * before that may be lost.
 */
export async function alive(control: Locator): Promise<Locator> {
  await eventually('the page is alive', () => control.evaluate(() => 'isAtRest' in globalThis));
  return control;
}

/**
 * Moves the clock of a page forward once the page is alive. Its timers start only then, so they would miss an earlier move.
 * @param time milliseconds, or minutes and seconds as `31:00`
 */
export async function passTime(page: Page, time: number | string): Promise<void> {
  await alive(page.locator('body'));
  await page.clock.fastForward(time);
}
