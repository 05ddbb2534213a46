import type { Metadata } from 'next';

export { CasePage as default } from '../../../../cases/case-page.tsx';

export const metadata: Metadata = { title: 'Case' };
