/** The operating system loads these pictures without a cookie, for home screens and for pushes. */
const ICONS = new Set(['/icon-192.png', '/icon-512.png', '/icon-maskable-512.png', '/apple-touch-icon.png']);

/** True for the paths that need no session (WEB-2). */
export function isOpenPath(pathname: string): boolean {
  const isDoor = pathname === '/login' || pathname === '/password-reset' || pathname.startsWith('/password-reset/');
  return isDoor || ICONS.has(pathname) || pathname.startsWith('/proof/');
}
