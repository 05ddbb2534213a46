export { DisbursementOut } from './disbursement-schemas.ts';
export { showDisbursements } from './show-disbursement.ts';
