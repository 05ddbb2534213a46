import type { Metadata } from 'next';

export { ProofPage as default } from '../../../proof/proof-page.tsx';

export const metadata: Metadata = { title: 'Proof of funds', robots: { index: false }, referrer: 'no-referrer' };
