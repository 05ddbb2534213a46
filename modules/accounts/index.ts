export { hashPassword } from './passwords.ts';
export { closeSession, findSession, openSession, SESSION_MAX_SECONDS, type Session } from './sessions.ts';
export {
  type Credentials,
  checkPassword,
  findUserByToken,
  refreshTokens,
  signIn,
  type TwoFactorMethod,
  type TwoFactorRequired,
} from './sign-in.ts';
export { createTokenKeys, issueTokens, type TokenKeys, type TokenPair } from './tokens.ts';
export { openTotpSecret, sealTotpSecret } from './totp-secret.ts';
export {
  API_USER_TYPES,
  type ApiUserType,
  fromApiUserType,
  isUserType,
  toApiUserType,
  USER_TYPES,
  type UserType,
  userTypeInWords,
} from './user-types.ts';
export { displayName, findActiveUser, findActiveUserById, getProfile, normalizeEmail, type User } from './users.ts';
