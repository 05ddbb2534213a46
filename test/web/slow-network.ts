import type { Page } from 'playwright-core';

/**
 * Makes it possible to delay pages that are opened within the application. Prefetches are not delayed.
 * @returns a function that delays the next pages and returns another one that lets them through.
 */
export async function holdPages(page: Page): Promise<() => () => void> {
  let gate = Promise.resolve();
  await page.route(
    (url) => url.searchParams.has('_rsc'),
    async (route) => {
      const headers = route.request().headers();
      if (!('next-router-prefetch' in headers)) await gate;
      await route.continue().catch(() => undefined);
    },
  );
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
}

/** Delays a page's scripts, as a slow network does. @returns a function that lets them through. */
export async function holdScripts(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await gate.promise;
    // The page may be gone by now.
    await route.continue().catch(() => undefined);
  });
  return gate.resolve;
}
