import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, NodeResult } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules whose result depends on the theme. */
const COLORS = ['color-contrast', 'link-in-text-block'];
/** Slow rules whose violations are moderate at most, which are left out below anyway. */
const MODERATE = ['region', 'heading-order', 'landmark-unique', 'landmark-one-main', 'page-has-heading-one', 'skip-link'];

/** Waits for fonts and for color transitions, including those that start when another one ends. */
const SETTLED = `(async () => {
  await document.fonts.ready;
  for (;;) {
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    if (changes.length === 0) return;
    await Promise.allSettled(changes.map(({ finished }) => finished));
  }
})()`;

type Rules = 'all' | 'colors' | 'structure';

function optionsOf(rules: Rules): object {
  if (rules === 'colors') return { runOnly: COLORS };
  const off = rules === 'all' ? MODERATE : [...MODERATE, ...COLORS];
  return { rules: Object.fromEntries(off.map((name) => [name, { enabled: false }])) };
}

/** Lists the serious and critical violations that axe-core finds on a page in its current state. */
async function findViolations(page: Page, rules: Rules = 'all'): Promise<string[]> {
  // The debugger evaluates the script, so the page's Content-Security-Policy does not apply.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  await page.evaluate(SETTLED);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
    // None of the rules that are on reads style sheets.
    { resultTypes: ['violations'], preload: false, ...optionsOf(rules) },
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(explained).join('; ')})`);
}

/**
 * Checks a page that was loaded wide and light, and leaves it narrow and light. Contrast is by far the slowest rule, so each
 * theme is checked at one width: elements that both widths show are checked in both themes.
 */
export async function findInAllLooks(
  page: Page,
  narrow: { width: number; height: number },
): Promise<Record<'wide' | 'dark narrow' | 'narrow', string[]>> {
  const wide = await findViolations(page);
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: 'dark' });
  const darkNarrow = await findViolations(page, 'colors');
  await page.emulateMedia({ colorScheme: 'light' });
  return { wide, 'dark narrow': darkNarrow, narrow: await findViolations(page, 'structure') };
}

function explained({ html, any }: NodeResult): string {
  return [html, ...any.map(({ message }) => message)].join(' ');
}

/** Fails when axe-core finds a serious or critical violation on a page in its current state. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  assert.deepEqual(await findViolations(page), [], what);
}
