import type { Page, Request, Route } from 'playwright-core';

/** Sends a form without a network, and goes back from the browser's error page to the form. */
export const loseForm = (page: Page, button: string) => lose(page, button, async (route) => route.abort());

/** Sends a form that arrives while its answer is lost, and goes back. */
export const loseAnswer = (page: Page, button: string) =>
  lose(page, button, async (route) => {
    await route.fetch({ maxRedirects: 0 });
    await route.abort();
  });

async function lose(page: Page, button: string, losing: (route: Route) => Promise<void>): Promise<void> {
  const written = page.url();
  const isForm = (request: Request) => request.isNavigationRequest() && request.method() === 'POST';
  await page.route('**', (route) => (isForm(route.request()) ? losing(route) : route.fallback()));
  const lost = page.waitForEvent('requestfailed', isForm);
  await page.getByRole('button', { name: button }).click();
  await lost;
  await page.waitForURL('chrome-error:**');
  await page.unrouteAll();
  await page.goBack();
  await page.waitForURL(written);
}
