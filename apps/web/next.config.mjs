import { join } from 'node:path';

// Nothing about this machine is told to anyone, whoever runs the build.
process.env.NEXT_TELEMETRY_DISABLED = '1';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  turbopack: { root: join(import.meta.dirname, '../..') },
  // `npm test` checks the types; building before the first start need not do it again.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        { key: 'x-content-type-options', value: 'nosniff' },
        { key: 'referrer-policy', value: 'same-origin' },
        { key: 'x-frame-options', value: 'DENY' },
        { key: 'cross-origin-opener-policy', value: 'same-origin' },
        { key: 'permissions-policy', value: 'camera=(), geolocation=(), microphone=(), payment=()' },
      ],
    },
  ],
};

export default config;
