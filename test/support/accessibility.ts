import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, NodeResult } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What the dark theme may change. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** The dearest of the rules whose findings are moderate at most: they would be left out below. */
const MODERATE = [
  'region',
  'heading-order',
  'landmark-unique',
  'landmark-one-main',
  'page-has-heading-one',
  'skip-link',
];
const RULES_OFF = Object.fromEntries(MODERATE.map((name) => [name, { enabled: false }]));

/**
 * Fonts are there, and colours are what they will be: what moves into another colour takes more than a frame, and whatever
 * takes its colour from there follows only then.
 */
const SETTLED = `(async () => {
  await document.fonts.ready;
  for (;;) {
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    if (changes.length === 0) return;
    await Promise.allSettled(changes.map(({ finished }) => finished));
  }
})()`;

/** What axe-core finds serious or critical on a page as it stands; of colours alone where the rest has been looked at. */
async function findViolations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not hold back.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  await page.evaluate(SETTLED);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
    // No rule that is on looks into style sheets.
    { resultTypes: ['violations'], preload: false, ...(rules === 'all' ? { rules: RULES_OFF } : { runOnly: COLOURS }) },
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(explained).join('; ')})`);
}

/** Of a page that was loaded wide and light, in each look; it is light and narrow then. The first look at it is the dearest. */
export async function findInAllLooks(
  page: Page,
  narrow: { width: number; height: number },
): Promise<Record<'wide' | 'dark wide' | 'dark narrow' | 'narrow', string[]>> {
  const wide = await findViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const darkWide = await findViolations(page, 'colours');
  await page.setViewportSize(narrow);
  const darkNarrow = await findViolations(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  return { wide, 'dark wide': darkWide, 'dark narrow': darkNarrow, narrow: await findViolations(page) };
}

function explained({ html, any }: NodeResult): string {
  return [html, ...any.map(({ message }) => message)].join(' ');
}

/** Fails when axe-core finds a serious or critical violation on a page as it stands. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  assert.deepEqual(await findViolations(page), [], what);
}
