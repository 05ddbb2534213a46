import type { Metadata } from 'next';

export { ProofsPage as default } from '../../../../../proof/proofs-page.tsx';

export const metadata: Metadata = { title: 'Proofs of funds' };
