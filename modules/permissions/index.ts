export { adminHolds } from './admin-holds.ts';
export { CATALOGUE, listCatalogue, type Permission, type PermissionCategory, permissionsIn } from './catalogue.ts';
export { createRole, deleteRole, renameRole, setRolePermissions } from './change-roles.ts';
export { createAdministrator } from './create-administrator.ts';
export { confirmGrant, type DecidedGrant, refuseGrant, type SeenGrant } from './decide-role-grant.ts';
export { findAdminRights } from './find-admin-rights.ts';
export { findPermissions } from './find-permissions.ts';
export { keepRoleManager } from './keep-manage-roles.ts';
export {
  type AuditFilter,
  type AuditRecord,
  findActorIds,
  findAuditEntry,
  listAudit,
  listAuditActions,
} from './list-audit.ts';
export { listRoleGrants, listWaitingRoleGrants, type RoleGrant } from './list-role-grants.ts';
export { listRoleNames } from './list-role-names.ts';
export { listStaff, type StaffMember } from './list-staff.ts';
export { permissionWords } from './permission-words.ts';
export {
  type GrantNews,
  grantingRole,
  heldVersion,
  type NotifyAdministrators,
  type SeenChoice,
} from './role-grants.ts';
export {
  getRole,
  listRoleMembers,
  listRoles,
  MEMBERS_SHOWN,
  type Role,
  type RoleMember,
  type RoleSummary,
} from './roles.ts';
export { STANDARD_ROLES } from './standard-roles.ts';
export { synchronisePermissions } from './synchronise-permissions.ts';
