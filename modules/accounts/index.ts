export { type AgencyPerson, type AgencySummary, findAgency, listAgencies, listAgencyPeople } from './agencies.ts';
export {
  type Agency,
  type AgencyKey,
  findAgencyByKey,
  issueAgencyKey,
  listAgencyKeys,
  revokeAgencyKey,
} from './agency-keys.ts';
export {
  assignRole,
  type GrantRole,
  type KeepRoleManager,
  nameOfRole,
  setRole,
} from './assign-role.ts';
export { type Calls, createCalls } from './calls.ts';
export {
  type Challenge,
  type ChallengeContext,
  type ChallengePurpose,
  type CodeAnswer,
  openChallenge,
  passChallenge,
  resendCode,
  type SentCode,
} from './challenges.ts';
export {
  type AddressMails,
  confirmAddressChange,
  findLastAddressChange,
  findWaitingAddress,
  listFormerAddresses,
  requestOwnAddress,
  type WaitingAddress,
} from './change-address.ts';
export { changePassword } from './change-password.ts';
export { confirmIdentity, type IdentityProof, isFresh } from './confirm-identity.ts';
export { deactivateUser, reactivateUser, resetTwoFactor } from './deactivate-user.ts';
export { createAgency, listAgencyNames, renameAgency } from './edit-agency.ts';
export { type EditMails, editUser, type UserEdit } from './edit-user.ts';
export { findUser, findUserByPair, type UserRecord } from './find-user.ts';
export { type InvitationInput, inviteUser, resendInvitation, type SendInvitation } from './invite-user.ts';
export { listStaff, type StaffMember } from './list-staff.ts';
export { listUsers, USER_STATUSES, type UserFilter, type UserStatus, type UserSummary } from './list-users.ts';
export { refuseStrongerRole, type StaffChange } from './lock-user.ts';
export { listOpenSessions, type OpenSession } from './open-sessions.ts';
export { checkNewPassword } from './password-policy.ts';
export { createPasswordReset, resetPassword } from './password-reset.ts';
export { hashPassword } from './passwords.ts';
export {
  findPendingChallenge,
  findPendingTwoFactor,
  type PendingChallenge,
  type PendingTwoFactor,
} from './pending-challenges.ts';
export { type AgencyEvent, receiveAgencyEvent, sweepAgencyEvents } from './receive-agency-event.ts';
export { isPersonAmong, refuseSamePerson } from './same-person.ts';
export {
  closeSession,
  closeSessionsOf,
  confirmSession,
  findSession,
  openSession,
  SESSION_MAX_SECONDS,
  type Session,
} from './sessions.ts';
export {
  type Credentials,
  checkPassword,
  confirmPassword,
  findTokenHolder,
  refreshTokens,
  resendTwoFactorCode,
  type SignInContext,
  signIn,
  type TokenHolder,
  type TwoFactorMethod,
  type TwoFactorRequired,
  type Visitor,
  verifyTwoFactor,
} from './sign-in.ts';
export { type Layer, listSignIns, recordSignIn, type SignInRecord } from './sign-ins.ts';
export { createThrottle, type Throttle, type ThrottleKind } from './throttle.ts';
export { createTokenKeys, issueTokens, type TokenKeys, type TokenPair } from './tokens.ts';
export { openTotpSecret, sealTotpSecret } from './totp-secret.ts';
export {
  beginTwoFactor,
  clearTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  findTwoFactorMethod,
} from './two-factor.ts';
export { type AnnouncePhone, changesPhone, updateProfile } from './update-profile.ts';
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
export { endWebSession, hasWebSessionEnded } from './web-sessions.ts';
