import type { Metadata } from 'next';

export { EditDisbursementPage as default } from '../../../../../disbursements/edit-disbursement-page.tsx';

export const metadata: Metadata = { title: 'Change the request' };
