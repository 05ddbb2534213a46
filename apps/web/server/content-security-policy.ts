interface PolicyOptions {
  nonce: string;
  /** The origin from which files are read and to which they are uploaded. */
  storageOrigin: string | undefined;
  https: boolean;
}

/** The Content-Security-Policy of every page: our own origin, the object store, and scripts with this nonce (EDGE-4). */
export function contentSecurityPolicy({ nonce, storageOrigin, https }: PolicyOptions): string {
  const storage = storageOrigin === undefined ? '' : ` ${storageOrigin}`;
  const rules = [
    `default-src 'self'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob:${storage}`,
    `font-src 'self'`,
    `connect-src 'self'${storage}`,
    `worker-src 'self'`,
    `manifest-src 'self'`,
    `object-src 'none'`,
    `frame-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ];
  if (https) rules.push('upgrade-insecure-requests');
  return rules.join('; ');
}
