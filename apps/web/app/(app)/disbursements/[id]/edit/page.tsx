import type { Metadata } from 'next';

export { EditDisbursementPage as default } from '../../../../../disbursements/form/edit-disbursement-page.tsx';

export const metadata: Metadata = { title: 'Change the request' };
