import { titledByCase } from '../../../../../cases/case-title.ts';

export { ProofsPage as default } from '../../../../../proof/proofs-page.tsx';

export const generateMetadata = titledByCase((name) => `${name} proofs of funds`, 'Proofs of funds');
