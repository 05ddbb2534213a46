/**
 * The settings that main.ts passes on. Each is read when it is used and never at build time, so that one build fits every
 * installation. Reading a variable takes a microsecond, and each forwarded call would read all of them several times.
 */
const environment = {
  get apiUrl(): string {
    return required('API_URL');
  },
  get secret(): string {
    return required('NEXTAUTH_SECRET');
  },
  /** Decrypts cookies from before the last rotation, and never encrypts. */
  get previousSecret(): string | undefined {
    return process.env.NEXTAUTH_SECRET_PREVIOUS || undefined;
  },
  get webOrigin(): string {
    return new URL(required('NEXTAUTH_URL')).origin;
  },
  get https(): boolean {
    return required('NEXTAUTH_URL').startsWith('https://');
  },
  get storageOrigin(): string | undefined {
    return process.env.STORAGE_ORIGIN || undefined;
  },
  get forwardingSecret(): string | undefined {
    return process.env.FORWARDING_SECRET || undefined;
  },
  get staffSignInUrl(): string | undefined {
    return process.env.STAFF_SIGN_IN_URL || undefined;
  },
  get offersDemoPeople(): boolean {
    return process.env.DEMO_PEOPLE === '1';
  },
};

export function serverEnvironment(): Readonly<typeof environment> {
  return environment;
}

function required(name: 'API_URL' | 'NEXTAUTH_SECRET' | 'NEXTAUTH_URL'): string {
  const value = process.env[name];
  if (!value) throw new Error(`The web frontend is started by main.ts, which sets ${name}.`);
  return value;
}

/** The name and the logo of the company (BRAND-1), as `main.ts` read them. The logo is an address that needs no request. */
export function brand(): { name: string; logoUrl: string | null } {
  const { BRAND_NAME, BRAND_LOGO_URL } = process.env;
  return { name: BRAND_NAME || 'Case Platform', logoUrl: BRAND_LOGO_URL || null };
}
