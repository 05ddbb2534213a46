import { decode, type JWT, type JWTDecodeParams } from 'next-auth/jwt';
import { serverEnvironment } from '../api/server-environment.ts';

/**
 * What is sealed in a cookie, by the secret or by the one before it, so that nobody is signed out by its change. Null where
 * there is nothing. @throws when neither has sealed it, or it has expired.
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
