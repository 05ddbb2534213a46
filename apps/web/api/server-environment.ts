/**
 * The settings that main.ts passes on. They are read on every call and never at build time, so that one build fits every
 * installation.
 */
export function serverEnvironment() {
  const { API_URL, FORWARDING_SECRET, NEXTAUTH_SECRET, NEXTAUTH_SECRET_PREVIOUS, NEXTAUTH_URL, STORAGE_ORIGIN } = process.env;
  const { DEMO_PEOPLE, STAFF_SIGN_IN_URL } = process.env;
  if (!API_URL || !NEXTAUTH_SECRET || !NEXTAUTH_URL) {
    throw new Error('The web frontend is started by main.ts, which sets API_URL, NEXTAUTH_URL and NEXTAUTH_SECRET.');
  }
  return {
    apiUrl: API_URL,
    secret: NEXTAUTH_SECRET,
    /** Decrypts cookies from before the last rotation, and never encrypts. */
    previousSecret: NEXTAUTH_SECRET_PREVIOUS || undefined,
    webOrigin: new URL(NEXTAUTH_URL).origin,
    https: NEXTAUTH_URL.startsWith('https://'),
    storageOrigin: STORAGE_ORIGIN || undefined,
    forwardingSecret: FORWARDING_SECRET || undefined,
    staffSignInUrl: STAFF_SIGN_IN_URL || undefined,
    offersDemoPeople: DEMO_PEOPLE === '1',
  };
}

/** The name and the logo of the company (BRAND-1), as `main.ts` read them. The logo is an address that needs no request. */
export function brand(): { name: string; logoUrl: string | null } {
  const { BRAND_NAME, BRAND_LOGO_URL } = process.env;
  return { name: BRAND_NAME || 'Case Platform', logoUrl: BRAND_LOGO_URL || null };
}
