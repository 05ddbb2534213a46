export { editMetadata as generateMetadata } from '../../../../../disbursements/find-disbursement.ts';
export { EditDisbursementPage as default } from '../../../../../disbursements/form/edit-disbursement-page.tsx';
