import type { Metadata } from 'next';

export { CasesPage as default } from '../../../cases/cases-page.tsx';

export const metadata: Metadata = { title: 'Cases' };
