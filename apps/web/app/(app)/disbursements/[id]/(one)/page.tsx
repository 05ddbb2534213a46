export { DisbursementPage as default } from '../../../../../disbursements/disbursement-page.tsx';
export { disbursementMetadata as generateMetadata } from '../../../../../disbursements/find-disbursement.ts';
