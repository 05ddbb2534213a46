export {
  CATALOGUE,
  CATALOGUE_VERSION,
  type CatalogueEntry,
  isPermission,
  listCatalogue,
  type Permission,
  type PermissionCategory,
  permissionsIn,
} from './catalogue.ts';
export { type AdminRights, findAdminRights } from './find-admin-rights.ts';
export { findPermissions } from './find-permissions.ts';
export { keepRoleManager } from './keep-role-manager.ts';
export { listRoleNames } from './list-role-names.ts';
export { type Synchronised, synchronisePermissions } from './synchronise-permissions.ts';
