export { grantWords, roleGrants } from './role-grants.ts';
