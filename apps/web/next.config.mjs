import { join } from 'node:path';
import { SECURITY_HEADERS } from './server/security-headers.ts';

// Nothing about this machine is told to anyone, whoever runs the build.
process.env.NEXT_TELEMETRY_DISABLED = '1';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // No page uses the image conversion, and each spelling of an address would cost one and a file in its cache.
  images: { unoptimized: true },
  turbopack: { root: join(import.meta.dirname, '../..') },
  // `npm test` checks the types; building before the first start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // The title of a page comes with it, not behind it: no boundary of Next.js streams either (shell/page-boundary.tsx).
  htmlLimitedBots: /.*/,
  headers: async () => [
    {
      source: '/:path*',
      headers: Object.entries(SECURITY_HEADERS).map(([key, value]) => ({ key, value })),
    },
    // Its address holds a token until the page has read it; the last rule for a header wins.
    { source: '/password-reset/:path*', headers: [{ key: 'referrer-policy', value: 'no-referrer' }] },
  ],
};

export default config;
