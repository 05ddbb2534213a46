export { CATALOGUE, listCatalogue, type Permission, type PermissionCategory, permissionsIn } from './catalogue.ts';
export { type AdminRights, findAdminRights } from './find-admin-rights.ts';
export { findPermissions } from './find-permissions.ts';
export { synchronisePermissions } from './synchronise-permissions.ts';
