/** The pages that need no session: sign-in and password reset. Everything else is guarded. */
export function isOpenPath(pathname: string): boolean {
  return pathname === '/login' || pathname === '/password-reset' || pathname.startsWith('/password-reset/');
}
