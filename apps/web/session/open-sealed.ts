import { decode, type JWT, type JWTDecodeParams } from 'next-auth/jwt';
import { serverEnvironment } from '../api/server-environment.ts';

/**
 * Decrypts the value of a cookie with the current secret or the previous one, so that a change of the secret signs no one out
 * (OPERATE-3). Null for an empty value. @throws {Error} if neither secret fits, or if the value has expired.
 */
export async function openSealed({ token, salt = '' }: Pick<JWTDecodeParams, 'token' | 'salt'>): Promise<JWT | null> {
  const { secret, previousSecret } = serverEnvironment();
  if (previousSecret === undefined) return decode({ token, salt, secret });
  try {
    return await decode({ token, salt, secret });
  } catch {
    return decode({ token, salt, secret: previousSecret });
  }
}
