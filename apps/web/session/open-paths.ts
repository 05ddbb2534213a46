/** Pictures that the system asks for by itself, without a cookie: on the home screen, and beside a push after signing out. */
const ICONS = new Set(['/icon-192.png', '/icon-512.png', '/icon-maskable-512.png', '/apple-touch-icon.png']);

/** What needs no session: sign-in, password reset, checking a proof of funds, and the application's icons. */
export function isOpenPath(pathname: string): boolean {
  const isDoor = pathname === '/login' || pathname === '/password-reset' || pathname.startsWith('/password-reset/');
  return isDoor || ICONS.has(pathname) || pathname.startsWith('/proof/');
}
