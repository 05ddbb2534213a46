import type { Metadata } from 'next';

export { DisbursementPage as default } from '../../../../../disbursements/disbursement-page.tsx';

export const metadata: Metadata = { title: 'Request' };
