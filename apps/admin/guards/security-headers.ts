import type { StorageSettings } from '@case-platform/modules/storage';

/** Browsers load nothing from elsewhere but pictures from the storage, send files only there, and run no inline script. */
export function securityHeaders(options: { production: boolean; storage: Readonly<StorageSettings> }) {
  const storage = storageOrigin(options.storage);
  const policy = [
    "default-src 'self'",
    `img-src 'self' data: ${storage}`,
    "style-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${storage}`,
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; ');
  return {
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-frame-options': 'DENY',
    ...(options.production ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/**
 * For the content of an email: a document of its own without script, forms or anything from elsewhere, shown only inside
 * our own page.
 */
export const EMAIL_CONTENT_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

function storageOrigin(settings: Readonly<StorageSettings>): string {
  const { protocol, host } = new URL(settings.publicEndpoint ?? settings.endpoint);
  return `${protocol}//${settings.forcePathStyle ? '' : `${settings.bucket}.`}${host}`;
}
