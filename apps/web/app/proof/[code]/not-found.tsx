export { UnknownProof as default } from '../../../proof/proof-page.tsx';
