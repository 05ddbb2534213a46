import type { Metadata } from 'next';

export { NewDisbursementPage as default } from '../../../../disbursements/form/new-disbursement-page.tsx';

export const metadata: Metadata = { title: 'Request money' };
