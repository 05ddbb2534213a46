import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** Fails when axe-core finds a serious or critical violation on a page as it stands. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not hold back.
  await page.evaluate(await readFile(SOURCE, 'utf8'));
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Violation[];
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    what,
  );
}
