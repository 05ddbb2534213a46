import { join } from 'node:path';
import { SECURITY_HEADERS } from './server/security-headers.ts';

// No build sends data about its machine to Vercel.
process.env.NEXT_TELEMETRY_DISABLED = '1';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // No page uses image conversion, and each spelling of an address would cost a conversion and a cached file (EDGE-7).
  images: { unoptimized: true },
  turbopack: { root: join(import.meta.dirname, '../..') },
  // `npm test` checks the types, so the build before the first start can skip that.
  typescript: { ignoreBuildErrors: true },
  // Every page is sent with its title in the head, not streamed after it. See also shell/page-boundary.tsx.
  htmlLimitedBots: /.*/,
  headers: async () => [
    {
      source: '/:path*',
      headers: Object.entries(SECURITY_HEADERS).map(([key, value]) => ({ key, value })),
    },
    // The URL contains a token until the page has read it. For a header that is set twice, the last rule wins.
    { source: '/password-reset/:path*', headers: [{ key: 'referrer-policy', value: 'no-referrer' }] },
  ],
};

export default config;
