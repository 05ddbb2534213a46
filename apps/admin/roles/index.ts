export { grantRole } from './granting-roles.ts';
export { grantWords, roleGrants } from './role-grants.ts';
