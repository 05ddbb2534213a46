export {
  type AgencyPerson,
  type AgencySummary,
  findAgency,
  listAgencies,
  listAgencyPeople,
} from './agencies/agencies.ts';
export {
  type Agency,
  type AgencyKey,
  findAgencyByKey,
  issueAgencyKey,
  listAgencyKeys,
  revokeAgencyKey,
} from './agencies/agency-keys.ts';
export { createAgency, listAgencyNames, renameAgency } from './agencies/edit-agency.ts';
export { receiveAgencyEvent } from './agencies/receive-agency-event.ts';
export { announceToOwner } from './mails/announce-to-owner.ts';
export { mailPasswordReset } from './mails/mail-password-reset.ts';
export { invitationAddress, mailInvitation } from './mails/staff-mails.ts';
export { OLD_ACCOUNT_ROWS } from './old-rows.ts';
export { changePassword } from './password/change-password.ts';
export { createPasswordReset, resetPassword } from './password/password-reset.ts';
export { hashPassword } from './password/passwords.ts';
export { assignRole } from './people/assign-role.ts';
export {
  confirmAddressChange,
  findLastAddressChange,
  findWaitingAddress,
  requestOwnAddress,
  type WaitingAddress,
} from './people/change-address.ts';
export { deactivateUser, reactivateUser, resetTwoFactor } from './people/deactivate-user.ts';
export { editUser } from './people/edit-user.ts';
export { findUser, findUserByPair, type UserRecord } from './people/find-user.ts';
export { inviteUser, resendInvitation } from './people/invite-user.ts';
export { listUsers, USER_STATUSES, type UserStatus, type UserSummary } from './people/list-users.ts';
export { nameMatches, SEARCHED_PEOPLE } from './people/searched-people.ts';
export { canBeSecondPerson, isPersonAmong, requireSecondPerson } from './people/second-person.ts';
export { isNewPhone, updateProfile } from './people/update-profile.ts';
export { adminHasPermission, adminsWithPermission } from './roles/admin-has-permission.ts';
export {
  CATALOGUE,
  listCatalogue,
  MOVES_MONEY,
  type Permission,
  type PermissionCategory,
  permissionsIn,
} from './roles/catalogue.ts';
export { createRole, deleteRole, renameRole, setRolePermissions } from './roles/change-roles.ts';
export { createAdministrator } from './roles/create-administrator.ts';
export { confirmGrant, type DecidedGrant, refuseGrant } from './roles/decide-role-grant.ts';
export { findAdminRights } from './roles/find-admin-rights.ts';
export { findPermissions } from './roles/find-permissions.ts';
export { listRoleGrants, listWaitingRoleGrants, type RoleGrant } from './roles/list-role-grants.ts';
export { listRoleNames } from './roles/list-role-names.ts';
export { listStaff, type StaffMember } from './roles/list-staff.ts';
export { permissionWords } from './roles/permission-words.ts';
export { assignmentVersion } from './roles/role-grants.ts';
export {
  getRole,
  listRoleMembers,
  listRoles,
  MEMBERS_SHOWN,
  type Role,
  type RoleMember,
  type RoleSummary,
} from './roles/roles.ts';
export { STANDARD_ROLES } from './roles/standard-roles.ts';
export { syncPermissions } from './roles/sync-permissions.ts';
export { type CallLimits, createCallLimits } from './sign-in/call-limits.ts';
export {
  type ChallengeContext,
  type CodeAnswer,
  openChallenge,
  passChallenge,
  resendCode,
  type TwoFactorMethod,
} from './sign-in/challenges.ts';
export { confirmIdentity, type IdentityProof, isRecentProof } from './sign-in/confirm-identity.ts';
export type { StaffChange } from './sign-in/lock-user.ts';
export { listOpenSessions, type OpenSession } from './sign-in/open-sessions.ts';
export {
  findPendingChallenge,
  findPendingTwoFactor,
  type PendingChallenge,
  type PendingTwoFactor,
} from './sign-in/pending-challenges.ts';
export {
  closeSession,
  closeSessionsOf,
  confirmSession,
  findSession,
  openSession,
  type Session,
  sessionHash,
} from './sign-in/sessions.ts';
export {
  authenticate,
  findTokenHolder,
  refreshTokens,
  resendTwoFactorCode,
  type SignInContext,
  signIn,
  type TokenHolder,
  verifyTwoFactor,
} from './sign-in/sign-in.ts';
export { listSignIns, recordSignIn, runForRecipient, type SignInRecord, type Visitor } from './sign-in/sign-ins.ts';
export { createThrottle } from './sign-in/throttle.ts';
export { createTokenKeys, issueTokens, type TokenClaims, type TokenKeys, verifyToken } from './sign-in/tokens.ts';
export { sealTotpSecret } from './sign-in/totp-secret.ts';
export {
  beginTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  findProvingMethod,
  findTwoFactorMethod,
} from './sign-in/two-factor.ts';
export { endWebSession, webSessionHash } from './sign-in/web-sessions.ts';
export {
  type ChangedByUser,
  displayName,
  findActiveUser,
  findActiveUserById,
  fullName,
  getProfile,
  type Reader,
  type User,
} from './users.ts';
