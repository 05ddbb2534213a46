import { brand } from '../../api/server-environment.ts';

/** Describes the installed application (PAGE-7). Its colors are those of the light theme (lib/theme/tokens.css). */
const MANIFEST = {
  id: '/',
  description: 'Messages, cases and payments around a surrogacy journey.',
  lang: 'en',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#f8f5f0',
  theme_color: '#f8f5f0',
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  shortcuts: [
    { name: 'Messages', url: '/messages' },
    { name: 'Write a message', url: '/messages/new' },
  ],
};

// The name is a setting of the process, and unknown when the pages are built.
export const dynamic = 'force-dynamic';

/**
 * We serve the manifest ourselves because Next.js would also link its own manifest file on the pages before sign-in, and
 * browsers would fetch it without the session cookie that its path requires.
 */
export function GET(): Response {
  return Response.json({ ...MANIFEST, name: brand().name }, { headers: { 'content-type': 'application/manifest+json' } });
}
