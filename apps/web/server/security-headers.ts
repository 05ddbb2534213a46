/** The headers of every answer of this server: pages, files, and forwarded calls (EDGE-4). */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

/** The `Strict-Transport-Security` of every answer of a site with https (EDGE-4). */
export const STRICT_TRANSPORT = 'max-age=31536000; includeSubDomains';
