import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrive } from '../support/stack/arrive.ts';
import { startRealStack } from '../support/stack/real-stack.ts';

const stack = await startRealStack({ LIMIT_CALLS: '15' }, ['admin', 'worker']);
/** Far more page loads than the limit of calls allows. */
const LOADS_MOST = 40;

test('[RATE-3] a person who opens too many pages in a minute sees when to continue, and stays signed in', async () => {
  const page = await arrive(stack, 'parent');
  const words = page.getByText(/You’re going faster than we can keep up\. Try again in \d+ seconds?\./);
  let loads = 0;
  while ((await words.count()) === 0 && loads < LOADS_MOST) {
    loads += 1;
    await page.goto(`${stack.webUrl}/cases`);
  }
  assert.ok((await words.count()) > 0, `not after ${loads} pages`);
  assert.equal(new URL(page.url()).pathname, '/cases');
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 1, 'within its frame');
});
