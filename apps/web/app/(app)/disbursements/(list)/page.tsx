import type { Metadata } from 'next';

export { DisbursementsPage as default } from '../../../../disbursements/disbursements-page.tsx';

export const metadata: Metadata = { title: 'Requests' };
