/**
 * The name of a cookie of this application. By https it says that nobody but this host can have set it (RFC 6265bis, 4.1.3.2):
 * such a cookie is `Secure`, for the whole host, and names no domain.
 */
export function ownCookieName(name: string, https: boolean): string {
  return https ? `__Host-${name}` : name;
}
