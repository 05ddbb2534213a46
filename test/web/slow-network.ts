import type { Page } from 'playwright-core';

/** Keeps the pages back that somebody goes to within the application, not what is fetched ahead. @returns what lets one through. */
export async function holdPages(page: Page): Promise<() => void> {
  const held: (() => void)[] = [];
  await page.route(
    (url) => url.searchParams.has('_rsc'),
    async (route) => {
      const headers = route.request().headers();
      if (!('next-router-prefetch' in headers)) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    },
  );
  return () => {
    for (const letThrough of held.splice(0)) letThrough();
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
