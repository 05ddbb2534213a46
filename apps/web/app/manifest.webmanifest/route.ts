/** The name, look and entry of the installed application; its colours are the light theme's (lib/theme/tokens.css). */
const MANIFEST = {
  id: '/',
  name: 'Case Platform',
  short_name: 'Cases',
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

export const dynamic = 'force-static';

/**
 * A route of our own: Next.js would link its manifest file on the pages in front of the door as well, and without the
 * cookie that every path but those needs.
 */
export function GET(): Response {
  return Response.json(MANIFEST, { headers: { 'content-type': 'application/manifest+json' } });
}
