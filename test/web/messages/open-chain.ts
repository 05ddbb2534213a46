import type { Page, Route } from 'playwright-core';
import { arrive } from '../../support/stack/arrive.ts';
import type { RealStack } from '../../support/stack/real-stack.ts';

export const thread = (page: Page) => page.getByRole('list', { name: 'Messages' });
export const said = (page: Page, text: string) => thread(page).getByText(text, { exact: true });
export const failed = (page: Page) => thread(page).getByRole('alert');

/** Signs in a parent, who starts a conversation. No page is opened yet. */
export async function startChain(stack: RealStack): Promise<{ page: Page; chainId: number }> {
  // Requests of a page that a service worker controls would bypass the routes that the tests set up.
  const page = await arrive(stack, 'parent', { path: null, serviceWorkers: 'block' });
  const multipart = { message: 'The papers are on their way.' };
  const made = await page.request.post(`${stack.webUrl}/api/messages`, { multipart });
  return { page, chainId: (await made.json()).chain.id };
}

/** Signs in a parent and opens a new conversation that they started. */
export async function openChain(stack: RealStack): Promise<{ page: Page; chainId: number }> {
  const { page, chainId } = await startChain(stack);
  await page.goto(`${stack.webUrl}/messages/${chainId}`);
  return { page, chainId };
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Write a message').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/**
 * Ends the session of a page so that the page finds out with its reader's next message. All other calls are aborted, because
 * their 401 would make the page leave too early.
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

/** Returns the texts of a conversation, oldest first. */
export async function textsInChain({ pool }: RealStack, chainId: number): Promise<string[]> {
  const { rows } = await pool.query<{ message: string }>('select message from message where chain_id = $1 order by id', [
    chainId,
  ]);
  return rows.map(({ message }) => message);
}

/** Counts the messages of a conversation with exactly this text. */
export async function countInChain(stack: RealStack, chainId: number, text: string): Promise<number> {
  return (await textsInChain(stack, chainId)).filter((one) => one === text).length;
}

/** Counts the unsent messages that a browser keeps. */
export const countKept = (page: Page) =>
  page.evaluate<number>("Object.keys(localStorage).filter((key) => key.includes('.outgoing.')).length");

/** Simulates a network on which POST requests are lost. */
export const loseRequests = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.continue());

/** Simulates a network on which POST requests arrive and their answers are lost. */
export async function loseAnswers(route: Route): Promise<void> {
  if (route.request().method() !== 'POST') return route.continue();
  await route.fetch();
  await route.abort();
}
