import type { Page, Request } from 'playwright-core';

/** Sends a form while the network is gone, and goes back from the browser's own error page to where it was written. */
export async function loseForm(page: Page, button: string): Promise<void> {
  const written = page.url();
  const isForm = (request: Request) => request.isNavigationRequest() && request.method() === 'POST';
  await page.route('**', (route) => (isForm(route.request()) ? route.abort() : route.fallback()));
  const lost = page.waitForEvent('requestfailed', isForm);
  await page.getByRole('button', { name: button }).click();
  await lost;
  await page.waitForURL('chrome-error:**');
  await page.unrouteAll();
  await page.goBack();
  await page.waitForURL(written);
}
