import type { Page } from 'playwright-core';

/**
 * Keeps the pages back that somebody goes to within the application, not what is fetched ahead.
 * @returns what holds the next one, and gives what lets it through: also if it is asked for only then, as a skeleton is shown before.
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

/** Keeps a page's scripts back, as a slow network does. @returns what lets them through. */
export async function holdScripts(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await gate.promise;
    // The page may be gone by now.
    await route.continue().catch(() => undefined);
  });
  return gate.resolve;
}
