import type { Metadata } from 'next';

export { StatementPage as default } from '../../../../../statements/statement-page.tsx';

export const metadata: Metadata = { title: 'Statement' };
