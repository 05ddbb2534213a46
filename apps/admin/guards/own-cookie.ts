/**
 * A cookie of this application. In production its name says that nobody but this host can have set it, over https alone
 * (RFC 6265bis, 4.1.3.2: `__Host-`); a browser takes such a name for the whole host only.
 */
export function ownCookie(name: string, { production }: { production: boolean }, path = '/') {
  const options = { path: production ? '/' : path, httpOnly: true, sameSite: 'lax', secure: production } as const;
  return { name: production ? `__Host-${name}` : name, options };
}
