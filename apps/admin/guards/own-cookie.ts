/**
 * A cookie of this application. In production its prefix guarantees that this host set it, over https (RFC 6265bis,
 * 4.1.3.2: `__Host-`). Browsers accept the prefix only for the whole host.
 */
export function ownCookie(name: string, { production }: { production: boolean }, path = '/') {
  const options = { path: production ? '/' : path, httpOnly: true, sameSite: 'lax', secure: production } as const;
  return { name: production ? `__Host-${name}` : name, options };
}
