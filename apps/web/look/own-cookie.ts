/**
 * The name of a cookie of this application. Over https it has a prefix with which only this host can set it (WEB-1; RFC 6265bis,
 * 4.1.3.2). Browsers accept such a cookie only with `Secure`, the path `/`, and no domain.
 */
export function ownCookieName(name: string, https: boolean): string {
  return https ? `__Host-${name}` : name;
}
