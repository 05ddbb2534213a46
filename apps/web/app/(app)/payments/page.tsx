import type { Metadata } from 'next';

export { PaymentsPage as default } from '../../../statements/payments-page.tsx';

export const metadata: Metadata = { title: 'Paid to you' };
