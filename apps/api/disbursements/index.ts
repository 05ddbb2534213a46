export { DisbursementOut, WhereaboutsOut } from './disbursement-schemas.ts';
export { showDisbursements } from './show-disbursement.ts';
