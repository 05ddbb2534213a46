import type { Page, Route } from 'playwright-core';
import { arrive } from '../../support/stack/arrive.ts';
import type { RealStack } from '../../support/stack/real-stack.ts';

export const thread = (page: Page) => page.getByRole('list', { name: 'Messages' });
export const said = (page: Page, text: string) => thread(page).getByText(text, { exact: true });
export const failed = (page: Page) => thread(page).getByRole('alert');

/** A parent in a new conversation of their own. */
export async function openChain(stack: RealStack): Promise<{ page: Page; chainId: number }> {
  // A page that a service worker has taken over asks past what the tests put in its way.
  const page = await arrive(stack, 'parent', { serviceWorkers: 'block' });
  const chainId = await page.evaluate<number>(
    `(async () => {
      const form = new FormData();
      form.set('message', 'The papers are on their way.');
      return (await (await fetch('/api/messages', { method: 'POST', body: form })).json()).chain.id;
    })()`,
  );
  await page.goto(`${stack.webUrl}/messages/${chainId}`);
  return { page, chainId };
}

/** Writes a reply and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Write a message').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/**
 * Ends the session of a page that learns of it by what its reader sends next: anything that it asked by itself meanwhile would be
 * refused as well, and lead it away across our way.
 */
export async function takeSession(page: Page, chainId: number): Promise<void> {
  await page.route('**/api/**', (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const isSent = request.method() === 'POST' && pathname === `/api/messages/${chainId}`;
    return isSent || pathname.startsWith('/api/auth/') ? route.fallback() : route.abort();
  });
  await page.context().clearCookies();
}

/** What is in a conversation, oldest first. */
export async function textsInChain({ pool }: RealStack, chainId: number): Promise<string[]> {
  const { rows } = await pool.query<{ message: string }>(
    'select message from message where chain_id = $1 order by id',
    [chainId],
  );
  return rows.map(({ message }) => message);
}

/** How often a conversation says something. */
export async function countInChain(stack: RealStack, chainId: number, text: string): Promise<number> {
  return (await textsInChain(stack, chainId)).filter((one) => one === text).length;
}

/** How many messages on their way a browser keeps. */
export const countKept = (page: Page) =>
  page.evaluate<number>("Object.keys(localStorage).filter((key) => key.includes('.outgoing.')).length");

/** A network that takes nothing that is sent. */
export const loseRequests = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.continue());

/** A network that takes what is sent, and brings no answer. */
export async function loseAnswers(route: Route): Promise<void> {
  if (route.request().method() !== 'POST') return route.continue();
  await route.fetch();
  await route.abort();
}
